/**
 * Where on the page something stands that reading would hide: fields by the walk of capture, words by the reader of
 * page_text. What is a secret is decided there and in `capture/redact.ts`; here only its place is found.
 */
import type { PageTree } from "../../capture/page/walk";
import { WALK_LIMITS, walkPage } from "../../capture/page/walk";
import { REDACTED, redactText } from "../../capture/redact";
import type { AxNode } from "../../capture/tree";
import { holds } from "./composed";
import { isSecret } from "./describe";
import { hiddenWords } from "./visible-text";

/** An element that is hidden whole, or words that are hidden where they stand. */
export type SecretPlace = Element | Text;

/** A picture shows all at once, so more is looked at than a reading has room for. */
const LIMITS = { nodes: WALK_LIMITS.nodes * 5, milliseconds: WALK_LIMITS.milliseconds * 2 };

/** All places of a document that reading would hide; null when the page is too long to be sure. */
export function secretPlaces(view: Window): SecretPlace[] | null {
  const { body } = view.document;
  if (body === null) return [];
  const started = performance.now();
  const page = walkPage(view, LIMITS);
  if (performance.now() - started > LIMITS.milliseconds || page.tree.nodes.length > LIMITS.nodes) return null;
  const words = hiddenWords(body);
  return words === null ? null : [...hiddenElements(page, words, body), ...words];
}

function hiddenElements({ tree, elements }: PageTree, words: readonly Text[], body: Element): Set<Element> {
  const hidden = new Set<Element>();
  for (const [index, node] of tree.nodes.entries()) {
    const own = elements[index] ?? null;
    if (index === 0 || !(isHidden(node) || (own !== null && isSecret(own)))) continue;
    const home = own ?? homeOf(index, { tree, elements }) ?? body;
    // Words are hidden more exactly where the reader of words has found them.
    const found = node.value === undefined && words.some((word) => isIn(home, word));
    if (!found) hidden.add(home);
  }
  return hidden;
}

/** Whether reading hides a part of what a node shows. */
function isHidden({ name, value }: AxNode): boolean {
  return [name, value].some((text) => text !== undefined && (text.includes(REDACTED) || redactText(text) !== text));
}

/** The nearest element that a node without one stands in. */
function homeOf(index: number, { tree, elements }: Pick<PageTree, "tree" | "elements">): Element | null {
  for (let at = tree.parents[index] ?? -1; at > 0; at = tree.parents[at] ?? -1) {
    const element = elements[at];
    if (element) return element;
  }
  return null;
}

function isIn(element: Element, { parentElement, parentNode }: Text): boolean {
  const holder = parentElement ?? (parentNode instanceof ShadowRoot ? parentNode.host : null);
  return holder !== null && holds(element, holder);
}
