/**
 * References to elements that can be acted on. A reference belongs to its element for the life of the document, so
 * reading the page again never makes an older reference stale.
 */

const refs = new WeakMap<Element, string>();
let count = 0;

/** The reference of an element ("e12"), given on first sight. The service worker prefixes it by frame. */
export function refOf(element: Element): string {
  const known = refs.get(element);
  if (known !== undefined) return known;
  count += 1;
  const ref = `e${count}`;
  refs.set(element, ref);
  return ref;
}
