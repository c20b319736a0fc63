/** page_select: chooses options of a list or a group, be it the browser's own or one that a page has drawn. */
import type { Effect, FrameDone } from "../messages";
import { refuseDisabled } from "./able";
import type { Arguments } from "./arguments";
import { textsArgument } from "./arguments";
import { Changes } from "./changes";
import { nearest, within } from "./composed";
import { spokenOf } from "./describe";
import { chooseDrawn, opensByClick } from "./drawn-list";
import { ToolFault } from "./fault";
import { moveFocus } from "./focusing";
import { reach } from "./hit";
import type { Job, PageTool } from "./job";
import { done, targetOf } from "./job";
import type { Option } from "./options";
import { chosenOption } from "./options";
import { chooseRadio, radiosOf } from "./radio-group";

export const pageSelect: PageTool = { target: "one", acts: true, limit: 14_000, examine, effect, run };

/** Of the browser's own lists it is known beforehand what they hold. */
function examine(element: Element, args: Arguments): Element {
  const select = selectOf(element);
  refuseDisabled(select ?? element);
  if (select !== null) chosenIn(select, args);
  return select ?? element;
}

/** What opens its list as any button opens anything is clicked; the person is asked about that. */
function effect(element: Element): Effect | undefined {
  const known = element instanceof HTMLSelectElement || radiosOf(element).length > 0;
  return !known && opensByClick(element) ? "click" : undefined;
}

async function run(job: Job): Promise<FrameDone> {
  const element = examine(targetOf(job), job.args);
  if (!(element instanceof HTMLSelectElement)) return chooseOther(element, textsArgument(job.args, "options"), job);
  await reach(element, job.view, job.signal);
  job.check();
  const chosen = chosenIn(element, job.args);
  const changes = new Changes(job.view);
  choose(element, chosen);
  const report = await changes.report(job.signal);
  if (element.isConnected && !chosen.every((option) => option.selected)) {
    const now = labels([...element.selectedOptions]);
    throw new ToolFault("value-not-kept", `the page did not keep it; now chosen: ${now}`);
  }
  return done(`Chose ${labels(chosen)} in ${spokenOf(element)}.`, report);
}

function chooseOther(element: Element, wanted: readonly string[], job: Job): Promise<FrameDone> {
  const radios = radiosOf(element);
  return radios.length > 0 ? chooseRadio(radios, wanted, job) : chooseDrawn(element, wanted, job);
}

function chosenIn(select: HTMLSelectElement, args: Arguments): HTMLOptionElement[] {
  const wanted = textsArgument(args, "options");
  if (wanted.length > 1 && !select.multiple) {
    throw new ToolFault("bad-arguments", `${spokenOf(select)} takes one option only`);
  }
  return wanted.map((each) => chosenOption(optionsOf(select), each).of);
}

/** The browser's own list that an element is, is part of, or is drawn around. */
function selectOf(element: Element): HTMLSelectElement | null {
  const own = element instanceof HTMLLabelElement ? element.control : nearest(element, "select");
  if (own instanceof HTMLSelectElement) return own;
  const inside = within(element, "select");
  const [only] = inside;
  return inside.length === 1 && only instanceof HTMLSelectElement ? only : null;
}

function optionsOf(select: HTMLSelectElement): Option<HTMLOptionElement>[] {
  return [...select.options].map((option) => {
    const group = option.parentElement;
    const disabled = option.disabled || (group instanceof HTMLOptGroupElement && group.disabled);
    return { of: option, label: (option.label || option.text).trim(), value: option.value, disabled };
  });
}

function choose(select: HTMLSelectElement, chosen: readonly HTMLOptionElement[]): void {
  moveFocus(select.ownerDocument, select);
  for (const option of select.options) {
    const on = chosen.includes(option);
    if (select.multiple ? option.selected !== on : on) option.selected = on;
  }
  select.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

function labels(options: readonly HTMLOptionElement[]): string {
  return options.map((option) => `"${(option.label || option.text).trim()}"`).join(", ") || "nothing";
}
