/**
 * Where on the page something stands that reading would hide: fields by the walk of capture, words by the reader of
 * page_text. What is a secret is decided there and in `capture/redact.ts`; here only its place is found.
 */
import type { PageTree } from "../../capture/page/walk";
import { WALK_LIMITS, walkPage } from "../../capture/page/walk";
import { REDACTED } from "../../capture/redact";
import { holds } from "./composed";
import { isSecret } from "./secret";
import { hiddenLines } from "./visible-text";

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
  const lines = hiddenLines(body);
  return lines === null ? null : [...hiddenElements(page, lines, body), ...lines.flat()];
}

/** Elements to hide whole: fields, and whatever holds more hidden words than the reader of words has found in it. */
function hiddenElements({ tree, elements }: PageTree, lines: readonly Text[][], body: Element): Element[] {
  const fields = new Set<Element>();
  const holders = new Map<Element, number>();
  for (const [index, node] of tree.nodes.entries()) {
    const own = elements[index] ?? null;
    if (own !== null && (isSecret(own) || says(node.value))) fields.add(own);
    else if (index > 0 && (says(node.name) || says(node.value))) {
      const holder = own ?? homeOf(index, { tree, elements }) ?? body;
      holders.set(holder, (holders.get(holder) ?? 0) + 1);
    }
  }
  const found = (holder: Element): number => lines.filter((line) => line.some((text) => isIn(holder, text))).length;
  const doubtful = [...holders].filter(([holder, count]) => found(holder) < count);
  return [...fields, ...doubtful.map(([holder]) => holder)];
}

/** Whether something was hidden in a text. */
function says(text: string | undefined): boolean {
  return text?.includes(REDACTED) === true;
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
