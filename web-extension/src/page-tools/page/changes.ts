/**
 * What an action has changed, in a few lines, so that the model need not read the whole page again: address, title,
 * dialogs, messages, focus and complaints of fields.
 */
import { clean } from "../../capture/page/names";
import { renderingOf } from "../../capture/page/visibility";
import { redactUrl } from "../../capture/redact";
import { clip } from "../../capture/text";
import { focusedIn, rootsOf } from "./composed";
import { describe, spoken, spokenOf } from "./describe";
import { wordsOf } from "./hiding";
import { isSecret } from "./secret";
import { atRest } from "./waiting";

const REPORT_MAX = 1000;
const LISTED_MAX = 5;
const NAME_MAX = 160;
const LOOKED_AT_MAX = 200;
/** How long a page may take to react to what was done. */
const REST = { quiet: 150, most: 1500 };

/** How long a page may take to stop a navigation. */
const NAVIGATION_MILLISECONDS = 60;

const DIALOGS = "dialog[open], [role='dialog'], [role='alertdialog'], [popover]:popover-open";
const MESSAGES = "[role='alert'], [role='status'], [aria-live='assertive'], [aria-live='polite'], output";
const OPENED = "[role='menu'], [role='listbox'], [role='tooltip']";

interface Picture {
  url: string;
  title: string;
  focus: Element | null;
  dialogs: Map<Element, string>;
  messages: Set<string>;
  opened: Set<Element>;
  complaints: Set<string>;
}

/** Watches a page through one action. */
export class Changes {
  readonly #view: Window;
  readonly #before: Picture;
  #leaving = "";
  #destination = "";
  #left: (() => void) | null = null;
  readonly #done = new AbortController();

  constructor(view: Window) {
    this.#view = view;
    this.#before = pictureOf(view);
    this.#watchLeaving();
  }

  /** Waits until the page has come to rest, or is being left, and says what is different. */
  async report(signal: AbortSignal): Promise<string> {
    const left = new Promise<void>((resolve) => {
      this.#left = resolve;
      if (this.#leaving !== "") resolve();
    });
    try {
      const ended = AbortSignal.any([signal, this.#done.signal]);
      await Promise.race([left, atRest(rootsOf(this.#view.document), REST, ended)]);
      return clip(this.#leaving === "" ? this.#differences() : this.#leaving, REPORT_MAX);
    } finally {
      this.#done.abort();
    }
  }

  /** A page that is left must be reported before it is gone. */
  #watchLeaving(): void {
    const signal = this.#done.signal;
    const leave = (words: string) => {
      if (this.#leaving === "") this.#leaving = words;
      this.#left?.();
    };
    this.#view.addEventListener("pagehide", () => leave(goingTo(this.#destination)), { signal });
    if (!("navigation" in this.#view)) return;
    const onNavigate = (event: NavigateEvent) => {
      const inPage = event.hashChange || event.destination.sameDocument || event.downloadRequest !== null;
      if (inPage) return;
      this.#destination = event.destination.url;
      setTimeout(() => this.#isLeaving(event) && leave(goingTo(this.#destination)), NAVIGATION_MILLISECONDS);
    };
    this.#view.navigation.addEventListener("navigate", onNavigate, { signal });
  }

  /** A navigation that the page has stopped, or taken over to show the new address itself, leaves nothing. */
  #isLeaving({ defaultPrevented, destination }: NavigateEvent): boolean {
    const { navigation, location } = this.#view;
    return !defaultPrevented && navigation.transition === null && location.href !== destination.url;
  }

  #differences(): string {
    const before = this.#before;
    const now = pictureOf(this.#view);
    const lines: string[] = [];
    if (now.url !== before.url) lines.push(`The address is now ${redactUrl(now.url)}.`);
    if (now.title !== before.title && now.title !== "") lines.push(`The title is now "${now.title}".`);
    for (const [dialog, name] of now.dialogs) if (!before.dialogs.has(dialog)) lines.push(`Opened: ${name}.`);
    for (const [dialog, name] of before.dialogs) if (!now.dialogs.has(dialog)) lines.push(`Closed: ${name}.`);
    for (const list of now.opened) if (!before.opened.has(list)) lines.push(`Opened: ${spokenOf(list)}.`);
    for (const text of now.messages) if (!before.messages.has(text)) lines.push(`The page says: "${text}".`);
    for (const text of now.complaints) if (!before.complaints.has(text)) lines.push(`Not accepted: ${text}.`);
    if (now.focus !== before.focus && now.focus !== null) lines.push(`Focus: ${focusWords(now.focus)}.`);
    return lines.join("\n");
  }
}

function goingTo(url: string): string {
  return url === "" ? "The page is being left." : `The page is going to ${redactUrl(url)}.`;
}

function focusWords(element: Element): string {
  return isSecret(element) ? `${spokenOf(element)} (secret)` : spokenOf(element);
}

function pictureOf(view: Window): Picture {
  const { document, location } = view;
  const roots = rootsOf(document);
  const shown = (selector: string) =>
    roots
      .flatMap((root) => [...query(root, selector)])
      .slice(0, LOOKED_AT_MAX)
      .filter((element) => renderingOf(element) === "shown");
  const dialogs = shown(DIALOGS).slice(0, LISTED_MAX);
  const texts = shown(MESSAGES).map((element) => wordsOf(element, NAME_MAX));
  return {
    url: location.href,
    title: clean(document.title, NAME_MAX),
    focus: focusedIn(document),
    dialogs: new Map(dialogs.map((element) => [element, dialogName(element)])),
    messages: new Set(texts.filter((text) => text !== "").slice(0, LISTED_MAX * 4)),
    opened: new Set(shown(OPENED).slice(0, LISTED_MAX)),
    complaints: new Set(roots.flatMap((root) => complaintsIn(root)).slice(0, LISTED_MAX * 4)),
  };
}

function query(root: Document | ShadowRoot, selector: string): Iterable<Element> {
  try {
    return root.querySelectorAll(selector);
  } catch {
    return [];
  }
}

function dialogName(element: Element): string {
  const { role, name } = describe(element);
  return spoken({ role: role === "generic" ? "popover" : role, name });
}

function complaintsIn(root: Document | ShadowRoot): string[] {
  return [...query(root, ":user-invalid, [aria-invalid='true']")].slice(0, LOOKED_AT_MAX).flatMap((field) => {
    if (field instanceof HTMLFormElement || field instanceof HTMLFieldSetElement) return [];
    const stated =
      "validationMessage" in field && typeof field.validationMessage === "string" ? field.validationMessage : "";
    const ids = (field.getAttribute("aria-errormessage") ?? field.getAttribute("aria-describedby") ?? "").split(/\s+/);
    const written = ids.map((id) => (id === "" ? null : root.getElementById(id))).find((each) => each !== null);
    const why = written ? wordsOf(written, NAME_MAX) : clean(stated, NAME_MAX);
    return [why === "" ? spokenOf(field) : `${spokenOf(field)}: ${why}`];
  });
}
