/** Presses one key on an element: the events, and then what the browser does for a key that a page leaves alone. */
import type { Chord } from "./chord";
import { codeOf, isPrintable, keyCodeOf } from "./chord";
import { actOnKey } from "./key-actions";
import { heldKeys } from "./pointer";

/**
 * Presses a key. Returns what it did by default, "" where the page took it or nothing follows. What goes away under the
 * key gets no more of it, and nothing else gets it instead.
 */
export function pressKey(element: Element, chord: Chord): string {
  const typed = isPrintable(chord) || chord.key === "Enter";
  let left = send(element, "keydown", chord);
  if (left && typed && element.isConnected) left = send(element, "keypress", chord);
  const action = left && element.isConnected ? actOnKey(element, chord) : "";
  if (element.isConnected) send(element, "keyup", chord);
  return action;
}

function send(element: Element, type: string, { key, modifiers }: Chord): boolean {
  const keyCode = type === "keypress" ? (key === "Enter" ? 13 : (key.codePointAt(0) ?? 0)) : keyCodeOf(key);
  const init = { key, code: codeOf(key), keyCode, which: keyCode, charCode: type === "keypress" ? keyCode : 0 };
  const common = { bubbles: true, cancelable: true, composed: true, view: element.ownerDocument.defaultView };
  return element.dispatchEvent(new KeyboardEvent(type, { ...common, ...init, ...heldKeys(modifiers) }));
}
