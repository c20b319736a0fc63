/**
 * References to elements that can be acted on. A reference belongs to its element for the life of the document, so
 * reading the page again never makes an older reference stale, and none is ever given to another element.
 *
 * Two letters of the document's own stand in each, so that the next document does not take a reference of this one for
 * one of its own.
 */

const refs = new WeakMap<Element, string>();
/** Held weakly: a reference keeps no removed part of a page in memory. */
const elements = new Map<string, WeakRef<Element>>();
const collected = new FinalizationRegistry<string>((ref) => elements.delete(ref));
const TAG = `${letter()}${letter()}`;
let count = 0;

/** The reference of an element ("kq12"), given on first sight. The service worker prefixes it by frame. */
export function refOf(element: Element): string {
  const known = refs.get(element);
  if (known !== undefined) return known;
  count += 1;
  const ref = `${TAG}${count}`;
  refs.set(element, ref);
  elements.set(ref, new WeakRef(element));
  collected.register(element, ref);
  return ref;
}

/** The element of a reference; null when none was given or its element is no longer in the document. */
export function elementOf(ref: string): Element | null {
  const element = elements.get(ref)?.deref();
  return element?.isConnected === true ? element : null;
}

function letter(): string {
  return String.fromCharCode(97 + Math.floor(Math.random() * 26));
}
