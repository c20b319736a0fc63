/**
 * What kind of action a key comes to. Who allowed keys has not allowed to press buttons, type or choose by them, so the
 * person is asked about what it comes to (decision 28).
 */
import type { Effect } from "../messages";
import type { Chord } from "./chord";
import { isPrintable } from "./chord";
import { isTextField } from "./fields";
import { isTypable } from "./key-actions";

/** The kind of action, where it is not just a key. */
export function effectOfKey(element: Element, chord: Chord): Effect | undefined {
  const { key } = chord;
  const { body, documentElement } = element.ownerDocument;
  // A key for the page as a whole is a shortcut of the page, or scrolls it.
  if (element === body || element === documentElement) return undefined;
  const typed = isTypable(element);
  if (key === "Enter") return typed && !isOneLine(element) ? undefined : "click";
  if (key === " ") return typed ? "type" : "click";
  if (typed && edits(chord)) return "type";
  return effectOfStep(element, key);
}

function isOneLine(element: Element): boolean {
  return element instanceof HTMLInputElement;
}

const EDITING_KEYS = new Set(["Backspace", "Delete"]);
/** Cut, paste, undo and redo. */
const EDITING_COMMANDS = new Set(["x", "v", "z", "y"]);

function edits(chord: Chord): boolean {
  const { key } = chord;
  return isPrintable(chord) || EDITING_KEYS.has(key) || (isCommand(chord) && EDITING_COMMANDS.has(key.toLowerCase()));
}

function isCommand({ modifiers }: Chord): boolean {
  return modifiers.some((each) => each === "Control" || each === "Meta");
}

/** Whether a key may change what a field holds; a command of the page's own may too. */
export function changesContent(chord: Chord): boolean {
  const changes = isCommand(chord) && !["a", "c"].includes(chord.key.toLowerCase());
  return isPrintable(chord) || EDITING_KEYS.has(chord.key) || changes;
}

const CHOSEN_FROM = "select, input[type='radio'], [role='radio']";
const STEPS = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"]);

/** Arrow keys choose in lists and groups, and count numbers up and down. */
function effectOfStep(element: Element, key: string): Effect | undefined {
  if (!STEPS.has(key)) return undefined;
  if (element.matches(CHOSEN_FROM)) return "choose";
  if (!isTextField(element)) return undefined;
  const upright = key === "ArrowUp" || key === "ArrowDown";
  return element.type === "range" || (element.type === "number" && upright) ? "type" : undefined;
}
