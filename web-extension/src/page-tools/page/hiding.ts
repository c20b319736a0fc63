/**
 * What reading hides of an element because of what stands around it: a label beside it, a header above its column.
 *
 * Reading the whole page knows; here as much around the element is read as can matter, so that a name or a part of the
 * page by itself never says what the whole would not. What is a secret is decided in `capture/redact.ts`.
 */
import { clean, plainText } from "../../capture/page/names";
import { renderingOf, styleOf } from "../../capture/page/visibility";
import { walkPage } from "../../capture/page/walk";
import { REDACTED } from "../../capture/redact";
import { tidy } from "../../capture/text";
import { holds, nearest, upwards, within } from "./composed";
import { readLines } from "./visible-text";

/** A label hides what comes a few nodes after it; each node has a word at least, so this is far enough back. */
const WORDS_AROUND = 40;
const STEPS_MAX = 4000;
const TABLES = "table, [role='table'], [role='grid'], [role='treegrid']";
const UNREAD = "script, style, noscript, template";

/** The words in an element that a reading of the whole page would not show. */
export function hiddenWords(element: Element): ReadonlySet<Text> {
  const { lines, whole } = readLines(surroundings(element));
  // Where reading did not get as far as the element, nothing is known.
  if (!whole && !lines.some(({ words }) => words.some((word) => isIn(element, word)))) return allWords(element);
  const hidden = lines.flatMap(({ text, words }) => {
    if (!text.includes(REDACTED)) return [];
    const own = words.filter((word) => isIn(element, word));
    if (text === REDACTED || own.length < words.length) return own;
    // A line in one piece is hidden by its own words, wherever it stands; in several, those that reading leaves out.
    return words.length === 1 ? [] : own.filter(({ data }) => !text.includes(tidy(data)));
  });
  return new Set(hidden);
}

function allWords(element: Element): Set<Text> {
  const all = new Set<Text>();
  const walker = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) if (node instanceof Text) all.add(node);
  return all;
}

/** The words of an element as a name: tidy, clipped, and without what reading hides. */
export function wordsOf(element: Element, max: number): string {
  const words = plainText(element);
  const looked = mayBeHidden(words) || followsSign(element);
  return clean(looked ? withoutHidden(words, element) : words, max);
}

/** A name that the element states itself, without what reading hides. */
export function statedName(element: Element, name: string): string {
  const hidden = mayBeHidden(name) && element.matches(PARTS) && hiddenParts([element]).length > 0;
  return hidden ? REDACTED : name;
}

/** The parts of a page that are values beside a label. */
const PARTS = "td, th, dd, dt, li, [role='cell'], [role='gridcell'], [role='listitem'], [role='definition']";

/** Those of some parts whose names reading hides. */
function hiddenParts(parts: readonly Element[]): Element[] {
  const view = parts[0]?.ownerDocument.defaultView;
  if (view == null) return [];
  const { tree, elements } = walkPage(view);
  return parts.filter((part) => tree.nodes[elements.indexOf(part)]?.name === REDACTED);
}

/** A cheap first look: only what looks made up, is one long word or is given as a value is ever hidden. */
function mayBeHidden(words: string): boolean {
  return /\d|\S[A-Z]|[+=:!#$%^&*~?|]|\S{16}/.test(words);
}

/** Whether an element stands in a line that gives something a value: `password=…`, in which any word may be hidden. */
function followsSign(element: Element): boolean {
  for (const at of upwards(element)) {
    const display = styleOf(at)?.display ?? "block";
    if (!display.startsWith("inline")) return at !== element && /[:=]/.test(at.textContent ?? "");
  }
  return false;
}

function withoutHidden(words: string, element: Element): string {
  const pieces = [...hiddenWords(element)].map(({ data }) => data.slice(0, PIECE_MAX));
  const labelled = within(element, "[aria-label]").filter((part) => part.matches(PARTS) && mayBeHidden(labelOf(part)));
  const secrets = [...pieces, ...hiddenParts(labelled).map(labelOf)].map(tidy).filter((secret) => secret !== "");
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), words);
}

function labelOf(part: Element): string {
  return part.getAttribute("aria-label") ?? "";
}

/** As much of a text as goes into a name. */
const PIECE_MAX = 1600;

/** The part of the page around an element that decides what of it is hidden. */
function surroundings(element: Element): Element {
  const first = wordBefore(element);
  const around = first === null ? element.ownerDocument.body : commonOf(element, first);
  const table = nearest(element, TABLES);
  return table !== null && holds(table, around) ? table : around;
}

function commonOf(element: Element, other: Element): Element {
  for (const at of upwards(element)) if (holds(at, other)) return at;
  return element.ownerDocument.body;
}

/** What holds the word that comes so many words before an element; null where there are fewer, or it is too far to look. */
function wordBefore(element: Element): Element | null {
  let words = WORDS_AROUND;
  let steps = STEPS_MAX;
  for (let from: Element | null = element; from !== null; ) {
    const root: Node = from.getRootNode();
    const walker = element.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    walker.currentNode = from;
    for (let node = walker.previousNode(); node !== null; node = walker.previousNode()) {
      steps -= 1;
      if (steps === 0) return null;
      const holder = node.parentElement;
      if (holder === null || !isRead(node, holder)) continue;
      words -= 1;
      if (words === 0) return holder;
    }
    from = root instanceof ShadowRoot ? root.host : null;
  }
  return null;
}

function isRead({ nodeValue }: Node, holder: Element): boolean {
  return tidy(nodeValue ?? "") !== "" && !holder.matches(UNREAD) && renderingOf(holder) !== "hidden";
}

function isIn(element: Element, { parentElement, parentNode }: Text): boolean {
  const holder = parentElement ?? (parentNode instanceof ShadowRoot ? parentNode.host : null);
  return holder !== null && holds(element, holder);
}
