/**
 * Plain boxes whose contents a person reads as one thing: a label with its value, a line of a list or table that is
 * drawn with boxes only, a sentence with links. Whether the contents really fit together is decided when they are known (`draft.ts`).
 */

const PAIR_PARTS = new Set(["div", "span", "p", "strong", "b", "small"]);
/** A longer label, or value, is prose. */
const PAIR_TEXTS = [48, 120] as const;

/** How the contents of a box belong together: label and value, one line, or one sentence. */
export type Box = "pair" | "line" | "prose";

/** What an element may be a box for; null where its contents are things of their own. */
export function boxOf(element: Element): Box | null {
  if (element.localName === "p") return element.childElementCount > 0 ? "prose" : null;
  if (isPair(element)) return "pair";
  return isLine(element) ? "line" : null;
}

/** A box around exactly two short texts. */
function isPair(element: Element): boolean {
  if (element.localName !== "div" || element.childElementCount !== 2 || element.shadowRoot !== null) return false;
  return [...element.children].every((child, index) => {
    const size = child.textContent.trim().length;
    const plain = PAIR_PARTS.has(child.localName) && child.childElementCount === 0 && child.shadowRoot === null;
    return plain && size > 0 && size <= (PAIR_TEXTS[index] ?? 0);
  });
}

const LINE_TAGS = new Set(["div", "section", "article"]);
const LINE_PARTS = { least: 2, most: 16 } as const;
/** Pixels of the highest line. */
const LINE_HEIGHT = 64;

/** A box that stands among others of its kind, as the rows of a list do, or whose parts stand side by side. */
function isLine(element: Element): boolean {
  const parts = element.childElementCount;
  if (!LINE_TAGS.has(element.localName) || parts < LINE_PARTS.least || parts > LINE_PARTS.most) return false;
  return isRepeated(element) || isSideBySide(element);
}

/** One of three or more that are alike. */
function isRepeated(element: Element): boolean {
  const after = element.nextElementSibling;
  const before = element.previousElementSibling;
  if (isAlike(element, after)) return isAlike(element, before) || isAlike(element, after?.nextElementSibling);
  return isAlike(element, before) && isAlike(element, before?.previousElementSibling);
}

/** Same tag and leading class; without a class, as many parts. */
function isAlike(element: Element, other: Element | null | undefined): boolean {
  if (other === null || other === undefined || other.localName !== element.localName) return false;
  const kind = element.classList[0];
  if (kind !== other.classList[0]) return false;
  return kind !== undefined || element.childElementCount === other.childElementCount;
}

/** The first and last of its parts are on one level, in a box no higher than a line or two. */
function isSideBySide(element: Element): boolean {
  const first = element.firstElementChild?.getBoundingClientRect();
  const last = element.lastElementChild?.getBoundingClientRect();
  if (first === undefined || last === undefined || first.height === 0) return false;
  const level = first.top < last.bottom && last.top < first.bottom;
  return level && element.getBoundingClientRect().height <= LINE_HEIGHT;
}
