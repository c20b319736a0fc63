/** Presses one key on an element: the events, and then what the browser does for a key that a page leaves alone. */
import type { Chord } from "./chord";
import { codeOf, isPrintable, keyCodeOf } from "./chord";
import { actOnKey } from "./key-actions";
import { heldKeys } from "./pointer";

/** Presses a key. Returns what it did by default, "" where the page took it or nothing follows. */
export function pressKey(element: Element, chord: Chord): string {
  const typed = isPrintable(chord) || chord.key === "Enter";
  const left = send(element, "keydown", chord) && (!typed || send(element, "keypress", chord));
  const action = left ? actOnKey(element, chord) : "";
  const document = element.ownerDocument;
  send(element.isConnected ? element : (document.activeElement ?? document.body), "keyup", chord);
  return action;
}

function send(element: Element, type: string, { key, modifiers }: Chord): boolean {
  const keyCode = type === "keypress" ? (key === "Enter" ? 13 : (key.codePointAt(0) ?? 0)) : keyCodeOf(key);
  const init = { key, code: codeOf(key), keyCode, which: keyCode, charCode: type === "keypress" ? keyCode : 0 };
  const common = { bubbles: true, cancelable: true, composed: true, view: element.ownerDocument.defaultView };
  return element.dispatchEvent(new KeyboardEvent(type, { ...common, ...init, ...heldKeys(modifiers) }));
}
