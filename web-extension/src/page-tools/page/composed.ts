/** Walking the page as it is put together for the eye: through open shadow roots and slots. */

/** The parent as it is rendered: the slot's, the shadow host's, or the element's own. */
export function parentOf(element: Element): Element | null {
  const slot = element.assignedSlot;
  if (slot !== null) return slot;
  const root = element.parentNode;
  return root instanceof ShadowRoot ? root.host : element.parentElement;
}

/** The element and everything it is rendered in, from the inside out. */
export function* upwards(element: Element): Generator<Element> {
  for (let at: Element | null = element; at !== null; at = parentOf(at)) yield at;
}

/** Whether `inner` is `outer` or rendered inside it. */
export function holds(outer: Element, inner: Element): boolean {
  for (const at of upwards(inner)) if (at === outer) return true;
  return false;
}

/** The nearest element, itself included, that matches a selector. */
export function nearest(element: Element, selector: string): Element | null {
  for (const at of upwards(element)) if (at.matches(selector)) return at;
  return null;
}

/** The focused element, however deep in open shadow roots; null when nothing has the focus. */
export function focusedIn(document: Document): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active === document.body || active === document.documentElement ? null : active;
}

const ROOTS_MAX = 500;

/** The document and its open shadow roots, in order of discovery. */
export function rootsOf(document: Document): (Document | ShadowRoot)[] {
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot !== null && roots.length < ROOTS_MAX) roots.push(element.shadowRoot);
    }
  }
  return roots;
}

/** The elements in an element as they are rendered: a shadow root's in place of its host's. */
export function childrenOf(element: Element): Element[] {
  if (element instanceof HTMLSlotElement) {
    const assigned = element.assignedElements();
    if (assigned.length > 0) return assigned;
  }
  return [...(element.shadowRoot ?? element).children];
}

/** Everything rendered in an element that matches, in order; at most `max`. */
export function within(element: Element, selector: string, max = 200): Element[] {
  const found: Element[] = [];
  const open = childrenOf(element).reverse();
  for (let at = open.pop(); at !== undefined && found.length < max; at = open.pop()) {
    if (at.matches(selector)) found.push(at);
    open.push(...childrenOf(at).reverse());
  }
  return found;
}
