/**
 * Chooses from a list that a page has drawn itself: a listbox, or a combobox or button that opens one, wherever in the
 * page it is put. Opening, finding and pressing are one step, so nothing closes the list in between.
 */
import { clean, NAME_MAX, plainText } from "../../capture/page/names";
import { renderingOf } from "../../capture/page/visibility";
import type { FrameDone } from "../messages";
import { disabledReason, refuseDisabled } from "./able";
import { Changes } from "./changes";
import { holds, nearest, rootsOf, within } from "./composed";
import { describe, shownIn, spokenOf } from "./describe";
import { ToolFault } from "./fault";
import type { TextField } from "./fields";
import { isTextField } from "./fields";
import { reach } from "./hit";
import type { Job } from "./job";
import { done } from "./job";
import { pressKey } from "./keys";
import type { Option } from "./options";
import { chosenOption, listedOptions, matching } from "./options";
import { press } from "./pointer";
import { replaceContent } from "./typing";
import { atRest, pause } from "./waiting";

const OPTIONS = "[role='option'], [role='menuitemradio'], [role='menuitem'], [role='treeitem']";
const LISTS = "[role='listbox'], [role='menu'], [role='tree'], [role='grid']";
const OPENERS = "[role='combobox'], [aria-haspopup]:not([aria-haspopup='false']), [aria-expanded]";
const PLAIN_PRESS = { double: false, modifiers: [] } as const;
/** How long a list may take to open, and to fill after something was typed. */
const OPENING_MS = 4000;
const LOOK_MS = 60;
const FILTERED = { quiet: 250, most: 3000 };

/** Chooses options by their labels, opening the list first if it is closed. */
export async function chooseDrawn(element: Element, wanted: readonly string[], job: Job): Promise<FrameDone> {
  const list = nearest(element, LISTS);
  const opener = list === null ? openerOf(element) : null;
  const many = (list ?? opener)?.getAttribute("aria-multiselectable") === "true";
  refuseDisabled(opener ?? element);
  job.check();
  const changes = new Changes(job.view);
  const drawn = new DrawnList(list ?? opener ?? element, job);
  if (opener !== null) await drawn.open(opener);
  if (many && list !== null) await drawn.chooseExactly(wanted);
  else for (const each of wanted) await drawn.choose(each);
  const report = await changes.report(job.signal);
  const names = wanted.map((each) => `"${each}"`).join(", ");
  return done(`Chose ${names} in ${spokenOf(element)}.`, shownBy(opener), report);
}

/** What opens the list: the element, or the one thing in it that does. */
function openerOf(element: Element): Element {
  if (element.matches(OPENERS)) return element;
  const [inside] = within(element, OPENERS);
  const around = nearest(element, OPENERS);
  const opener = inside ?? around;
  if (opener == null) throw new ToolFault("wrong-kind", `${spokenOf(element)} is no list of options`);
  return opener;
}

function shownBy(opener: Element | null): string {
  if (opener === null || !opener.isConnected) return "";
  const shown = isTextField(opener) ? shownIn(opener) : clean(plainText(opener), NAME_MAX);
  return shown === "" ? "" : `It now shows "${shown.slice(0, 120)}".`;
}

class DrawnList {
  readonly #home: Element;
  readonly #job: Job;
  /** Options that were on the page before it was opened belong to other lists. */
  #others = new Set<Element>();
  #opener: Element | null = null;

  constructor(home: Element, job: Job) {
    this.#home = home;
    this.#job = job;
  }

  /** Opens the list if it is not open. */
  async open(opener: Element): Promise<void> {
    this.#opener = opener;
    if (opener.getAttribute("aria-expanded") === "true" && this.#options().length > 0) return;
    this.#others = new Set(shownOptions(this.#job.view.document));
    const { view, signal } = this.#job;
    const point = await reach(opener, view, signal);
    this.#job.check();
    press(point, PLAIN_PRESS);
    if (await this.#filled(OPENING_MS / 2)) return;
    // Some open by a key only.
    if (opener instanceof HTMLElement) pressKey(opener, { key: "ArrowDown", modifiers: [] });
    if (await this.#filled(OPENING_MS / 2)) return;
    if (!isTextField(opener)) throw new ToolFault("no-such-option", `${spokenOf(opener)} did not open a list`);
  }

  /** Presses one option; in a field that filters, types its label to bring it up. */
  async choose(wanted: string): Promise<void> {
    const field = this.#field();
    if (field !== null && matching(this.#options(), wanted).length === 0) {
      await replaceContent(field, wanted, this.#job.signal);
      await atRest(rootsOf(this.#job.view.document), FILTERED, this.#job.signal);
    }
    const option = this.#find(wanted, field);
    await this.#press(option.of);
  }

  /** Makes exactly these options selected, in a list that takes several. */
  async chooseExactly(wanted: readonly string[]): Promise<void> {
    const options = this.#options();
    const chosen = wanted.map((each) => chosenOption(options, each).of);
    for (const { of: option } of options) {
      const on = option.getAttribute("aria-selected") === "true" || option.getAttribute("aria-checked") === "true";
      if (on !== chosen.includes(option)) await this.#press(option);
    }
  }

  #find(wanted: string, field: TextField | null): Option<Element> {
    const options = this.#options();
    try {
      return chosenOption(options, wanted);
    } catch (fault) {
      this.#close(field);
      if (options.length > 0) throw fault;
      throw new ToolFault("no-such-option", `there is no "${wanted}"; the options are ${listedOptions(options)}`);
    }
  }

  /** Leaves the page as it was found. */
  #close(field: TextField | null): void {
    const opener = this.#opener;
    if (opener instanceof HTMLElement) pressKey(field ?? opener, { key: "Escape", modifiers: [] });
  }

  async #press(option: Element): Promise<void> {
    const { view, signal } = this.#job;
    press(await reach(option, view, signal), PLAIN_PRESS);
    await atRest(rootsOf(view.document), { quiet: LOOK_MS, most: 600 }, signal);
  }

  async #filled(most: number): Promise<boolean> {
    for (let waited = 0; waited < most; waited += LOOK_MS) {
      if (this.#options().length > 0) return true;
      await pause(LOOK_MS, this.#job.signal);
    }
    return false;
  }

  /** The options now shown: those of the list it names, else those that were not there before. */
  #options(): Option<Element>[] {
    const list = this.#named();
    const shown = list === null ? this.#fresh() : within(list, OPTIONS).filter(isShown);
    return shown.map((of) => ({
      of,
      label: describe(of).name,
      value: of.getAttribute("data-value") ?? "",
      disabled: disabledReason(of) !== "",
    }));
  }

  #fresh(): Element[] {
    if (this.#opener === null) return within(this.#home, OPTIONS).filter(isShown);
    return shownOptions(this.#job.view.document).filter((option) => !this.#others.has(option));
  }

  /** The list that the opener says it controls. */
  #named(): Element | null {
    const opener = this.#opener;
    if (opener === null) return null;
    const ids = `${opener.getAttribute("aria-controls") ?? ""} ${opener.getAttribute("aria-owns") ?? ""}`.split(/\s+/);
    const root = opener.getRootNode();
    const homes = [root, opener.ownerDocument].filter((home) => home instanceof Document || home instanceof ShadowRoot);
    const named = ids.flatMap((id) => (id === "" ? [] : homes.map((home) => home.getElementById(id))));
    return named.find((list) => list !== null && within(list, OPTIONS).some(isShown)) ?? null;
  }

  /** The field that filters the list, where there is one. */
  #field(): TextField | null {
    const opener = this.#opener;
    if (opener === null) return null;
    const inside = [opener, ...within(opener, "input")].find((each) => isTextField(each) && !each.readOnly);
    if (inside !== undefined && isTextField(inside)) return inside;
    const active = opener.ownerDocument.activeElement;
    const lists = shownOptions(opener.ownerDocument).map((option) => nearest(option, "[role='dialog'], div"));
    const beside =
      isTextField(active) && lists.some((list) => list !== null && holds(list.parentElement ?? list, active));
    return beside && isTextField(active) ? active : null;
  }
}

function shownOptions(document: Document): Element[] {
  return rootsOf(document).flatMap((root) => [...root.querySelectorAll(OPTIONS)].filter(isShown));
}

function isShown(element: Element): boolean {
  return renderingOf(element) === "shown";
}
