/** page_click: presses a button, link, checkbox, tab or anything else, once, exactly where it is. */
import { MODIFIERS } from "../frame-arguments";
import type { FrameDone } from "../messages";
import { refuseDisabled } from "./able";
import { flagArgument, textsArgument } from "./arguments";
import { Changes } from "./changes";
import { spokenOf } from "./describe";
import { ToolFault } from "./fault";
import { reach } from "./hit";
import type { Job, PageTool } from "./job";
import { done, targetOf } from "./job";
import type { Modifier } from "./pointer";
import { press } from "./pointer";

export const pageClick: PageTool = { target: "one", acts: true, limit: 12_000, examine, run };

async function run(job: Job): Promise<FrameDone> {
  const element = examine(targetOf(job));
  const double = flagArgument(job.args, "double");
  const modifiers = modifiersOf(job);
  const point = await reach(element, job.view, job.signal);
  refuseDisabled(element);
  job.check();
  const called = spokenOf(element);
  const changes = new Changes(job.view);
  const whole = press(point, element, { double, modifiers });
  const report = await changes.report(job.signal);
  const gone = `${called} went away as it was pressed; nothing else was clicked.`;
  return done(whole ? `${double ? "Double-clicked" : "Clicked"} ${called}.` : gone, stateOf(element), report);
}

/** What the browser opens by itself cannot be worked by script. */
function examine(element: Element): Element {
  if (element instanceof HTMLSelectElement || element instanceof HTMLOptionElement) {
    throw new ToolFault("wrong-kind", `${spokenOf(element)} is chosen from; use page_select`);
  }
  if (element instanceof HTMLInputElement && element.type === "file") {
    throw new ToolFault("wrong-kind", "files can only be chosen by the person");
  }
  refuseDisabled(element);
  return element;
}

function modifiersOf(job: Job): Modifier[] {
  const given = textsArgument(job.args, "modifiers");
  return MODIFIERS.filter((modifier) => given.includes(modifier));
}

/** What can be on or off says what it is now. */
function stateOf(element: Element): string {
  const control = element instanceof HTMLLabelElement ? (element.control ?? element) : element;
  if (!control.isConnected) return "";
  if (control instanceof HTMLInputElement && ["checkbox", "radio"].includes(control.type)) {
    return `It is now ${control.indeterminate ? "mixed" : control.checked ? "checked" : "not checked"}.`;
  }
  const words = STATES.flatMap(([attribute, on, off]) => {
    const value = control.getAttribute(attribute);
    return value === "true" ? [on] : value === "false" ? [off] : value === "mixed" ? ["mixed"] : [];
  });
  return words.length === 0 ? "" : `It is now ${words.join(", ")}.`;
}

const STATES = [
  ["aria-checked", "checked", "not checked"],
  ["aria-pressed", "pressed", "not pressed"],
  ["aria-selected", "selected", "not selected"],
  ["aria-expanded", "open", "closed"],
] as const;
