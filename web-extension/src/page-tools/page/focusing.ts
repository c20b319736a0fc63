/**
 * Moves the focus as a press or a key does.
 *
 * The side panel has the browser's focus while a tool runs, and then a page gets no focus events for what script does;
 * forms that validate when a field is left would never hear of it. So an event that did not come is sent.
 */
import { focusedIn, nearest } from "./composed";

const FOCUSABLE =
  "a[href], area[href], button, input:not([type='hidden']), select, textarea, summary, iframe, [tabindex], [contenteditable]:not([contenteditable='false']), audio[controls], video[controls]";

/** The element that gets the focus when this one is pressed; null for none. */
export function focusableFor(element: Element): HTMLElement | null {
  const found = nearest(element, FOCUSABLE);
  return found instanceof HTMLElement && !found.matches(":disabled") ? found : null;
}

/** Gives an element the focus; null takes it away from whatever has it. */
export function moveFocus(document: Document, to: HTMLElement | null): void {
  const from = focusedIn(document);
  if (from === to) return;
  if (to === null) {
    if (from instanceof HTMLElement) announced(from, ["blur", "focusout"], null, () => from.blur());
    return;
  }
  const leave = () => announced(to, ["focus", "focusin"], from, () => to.focus({ preventScroll: true }));
  if (from === null) leave();
  else announced(from, ["blur", "focusout"], to, leave);
}

/** Does something that should bring about some events on an element, and sends those that did not come. */
function announced(element: Element, types: readonly string[], other: Element | null, move: () => void): void {
  const heard = new Set<string>();
  const hear = (event: Event) => heard.add(event.type);
  for (const type of types) element.addEventListener(type, hear);
  move();
  for (const type of types) {
    element.removeEventListener(type, hear);
    const bubbles = type.startsWith("focus") && type !== "focus";
    if (!heard.has(type) && element.isConnected) {
      element.dispatchEvent(new FocusEvent(type, { bubbles, composed: true, relatedTarget: other }));
    }
  }
}
