/**
 * Chooses from a list that a page has drawn itself: a listbox, or a combobox or button that opens one, wherever in the
 * page it is put. Opening, finding and pressing are one step, so nothing closes the list in between.
 */
import { NAME_MAX } from "../../capture/page/names";
import { renderingOf } from "../../capture/page/visibility";
import type { FrameDone } from "../messages";
import { disabledReason, refuseDisabled } from "./able";
import { Changes } from "./changes";
import { focusedIn, nearest, rootsOf, within } from "./composed";
import { describe, shownIn, spokenOf } from "./describe";
import { ToolFault } from "./fault";
import type { TextField } from "./fields";
import { isTextField } from "./fields";
import { wordsOf } from "./hiding";
import { reach } from "./hit";
import type { Job } from "./job";
import { done } from "./job";
import { pressKey } from "./keys";
import type { Option } from "./options";
import { chosenOption, matching } from "./options";
import { press } from "./pointer";
import { scrollerOf } from "./scrolling";
import { isSecret, isTypedInto } from "./secret";
import { replaceContent } from "./typing";
import { atRest, nextFrame, pause } from "./waiting";

/** What can be chosen. The items of a menu do something: they are clicked, and the person is asked about that. */
const OPTIONS =
  "[role='option'], [role='menuitemradio'], [role='treeitem'][aria-selected], [role='treeitem'][aria-checked]";
const LISTS = "[role='listbox'], [role='tree'], [role='grid']";
const OPENERS = "[role='combobox'], [aria-haspopup]:not([aria-haspopup='false']), [aria-expanded]";
/** What says of itself that it opens something to choose from. */
const CHOOSERS = "[role='combobox'], [aria-haspopup='listbox'], [aria-haspopup='tree'], [aria-haspopup='grid']";
const PLAIN_PRESS = { double: false, modifiers: [] } as const;
/** How long a list may take to open, and to fill after something was typed. */
const OPENING_MS = 2000;
const TYPED_OPENING_MS = 500;
const LOOK_MS = 60;
/** How far a long list is looked through. */
const SCROLLS_MAX = 40;
const OPTIONS_MAX = 1000;
const ATTEMPTS_MAX = 3;
const FILTERED = { quiet: 250, most: 3000 };

/** Chooses options by their labels, opening the list first if it is closed. */
export async function chooseDrawn(element: Element, wanted: readonly string[], job: Job): Promise<FrameDone> {
  const list = nearest(element, LISTS);
  const opener = list === null ? openerOf(element) : null;
  refuseDisabled(opener ?? element);
  job.check();
  const changes = new Changes(job.view);
  const drawn = new DrawnList(list, job);
  if (opener !== null) await drawn.open(opener);
  if (drawn.takesSeveral()) await drawn.chooseExactly(wanted);
  else for (const each of wanted) await drawn.choose(each);
  const report = await changes.report(job.signal);
  const names = wanted.map((each) => `"${each}"`).join(", ");
  return done(`Chose ${names} in ${spokenOf(element)}.`, shownBy(opener), report);
}

/** Whether choosing from this begins with pressing something that may do anything, as any button may. */
export function opensByClick(element: Element): boolean {
  return nearest(element, LISTS) === null && !openerOf(element).matches(CHOOSERS);
}

/** What opens the list: the element, or the one thing in it that does. */
function openerOf(element: Element): Element {
  if (element.matches(OPENERS)) return element;
  const inside = within(element, OPENERS);
  const [opener = nearest(element, OPENERS)] = inside;
  if (inside.length > 1) throw new ToolFault("wrong-kind", `there are ${inside.length} lists in ${spokenOf(element)}`);
  if (opener === null) throw new ToolFault("wrong-kind", `${spokenOf(element)} is no list of options`);
  return opener;
}

function shownBy(opener: Element | null): string {
  if (opener === null || !opener.isConnected) return "";
  const shown = isTextField(opener) ? shownIn(opener) : wordsOf(opener, NAME_MAX);
  return shown === "" ? "" : `It now shows "${shown.slice(0, 120)}".`;
}

class DrawnList {
  /** The list, when it needs no opening. */
  readonly #list: Element | null;
  readonly #job: Job;
  /** Options that were on the page before it was opened belong to other lists. */
  #others = new Set<Element>();
  #opener: Element | null = null;
  /** What had the focus before it was opened. */
  #focused: Element | null = null;

  constructor(list: Element | null, job: Job) {
    this.#list = list;
    this.#job = job;
  }

  /** Opens the list if it is not open. */
  async open(opener: Element): Promise<void> {
    this.#opener = opener;
    if (opener.getAttribute("aria-expanded") === "true" && this.#options().length > 0) return;
    this.#others = new Set(shownOptions(this.#job.view.document));
    this.#focused = focusedIn(this.#job.view.document);
    const { view, signal } = this.#job;
    const point = await reach(opener, view, signal);
    this.#job.check();
    // A field that is typed into may open its list only then.
    const patience = this.#field() === null ? OPENING_MS : TYPED_OPENING_MS;
    press(point, opener, PLAIN_PRESS);
    if (await this.#filled(patience)) return;
    // Some open by a key only.
    pressKey(opener, { key: "ArrowDown", modifiers: [] });
    if (await this.#filled(patience)) return;
    if (!isTextField(opener)) throw new ToolFault("no-such-option", `${spokenOf(opener)} did not open a list`);
  }

  /** Whether the list, now open, takes more than one option. */
  takesSeveral(): boolean {
    const [first] = this.#options();
    const list = this.#list ?? (first === undefined ? null : nearest(first.of, LISTS));
    return list?.getAttribute("aria-multiselectable") === "true";
  }

  /** Presses one option; what is not there yet is typed for, or scrolled to. */
  async choose(wanted: string): Promise<void> {
    const field = this.#field();
    const before = field?.value ?? "";
    if (field !== null && !this.#has(wanted)) {
      await replaceContent(field, wanted, this.#job.signal);
      await atRest(rootsOf(this.#job.view.document), FILTERED, this.#job.signal);
    }
    const seen = this.#has(wanted) ? this.#options() : await this.#scrollTo(wanted);
    try {
      await this.#pressLabelled(wanted, seen);
    } catch (fault) {
      await this.#leave(field, before);
      throw fault;
    }
  }

  /** A list that draws itself anew while it is scrolled has another element for the same option. */
  async #pressLabelled(wanted: string, seen: readonly Option<Element>[]): Promise<void> {
    let option = chosenOption(seen, wanted);
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.#press(option.of);
      } catch (fault) {
        const drawnAnew = fault instanceof ToolFault && fault.code === "dead-ref" && attempts < ATTEMPTS_MAX;
        if (!drawnAnew) throw fault;
        option = chosenOption(this.#options(), wanted);
      }
    }
  }

  #has(wanted: string): boolean {
    return matching(this.#options(), wanted).length > 0;
  }

  /** A long list may hold only the options in view; gives all that came by. */
  async #scrollTo(wanted: string): Promise<Option<Element>[]> {
    const seen = new Map(this.#options().map((option) => [option.label, option]));
    const [first] = this.#options();
    if (first === undefined) return [];
    const scroller = scrollerOf(first.of);
    const scrolls = scroller === this.#job.view.document.scrollingElement ? 0 : SCROLLS_MAX;
    for (let steps = 0; steps < scrolls && !this.#has(wanted); steps += 1) {
      const before = scroller.scrollTop;
      scroller.scrollBy({ top: scroller.clientHeight * 0.8, behavior: "instant" });
      if (scroller.scrollTop === before) break;
      await nextFrame(this.#job.view, this.#job.signal);
      await atRest([this.#job.view.document], { quiet: LOOK_MS, most: 400 }, this.#job.signal);
      for (const option of this.#options()) seen.set(option.label, option);
    }
    return [...seen.values()];
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

  /** Leaves the page as it was found. */
  async #leave(field: TextField | null, before: string): Promise<void> {
    if (this.#opener !== null) pressKey(field ?? this.#opener, { key: "Escape", modifiers: [] });
    if (field !== null && field.value !== before) await replaceContent(field, before, this.#job.signal);
  }

  async #press(option: Element): Promise<void> {
    const { view, signal } = this.#job;
    press(await reach(option, view, signal), option, PLAIN_PRESS);
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
    const shown = list === null ? this.#fresh() : optionsIn(list);
    return shown.map((of) => ({
      of,
      label: describe(of).name,
      value: of.getAttribute("data-value") ?? "",
      disabled: disabledReason(of) !== "",
    }));
  }

  #fresh(): Element[] {
    if (this.#list !== null) return optionsIn(this.#list);
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
    return named.find((list) => list !== null && optionsIn(list).length > 0) ?? null;
  }

  /** The field that filters the list: the opener, one in it, or one that got the focus as it opened. */
  #field(): TextField | null {
    const opener = this.#opener;
    if (opener === null) return null;
    const focused = focusedIn(opener.ownerDocument);
    const fields = [opener, ...within(opener, "input"), focused === this.#focused ? null : focused];
    return fields.filter((each) => isTextField(each)).find((each) => isFilter(each)) ?? null;
  }
}

function shownOptions(document: Document): Element[] {
  return rootsOf(document).flatMap((root) => [...root.querySelectorAll(OPTIONS)].filter(isShown));
}

function optionsIn(list: Element): Element[] {
  return within(list, OPTIONS, OPTIONS_MAX).filter(isShown);
}

function isShown(element: Element): boolean {
  return renderingOf(element) === "shown";
}

/** Whether what is typed into a field can be meant for the list; never a password that stands beside it. */
function isFilter(field: TextField): boolean {
  return isTypedInto(field) && !isSecret(field) && !field.readOnly && !field.disabled && isShown(field);
}
