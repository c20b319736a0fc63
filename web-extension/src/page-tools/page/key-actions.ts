/**
 * What a browser does by itself when a key is pressed and the page does not prevent it. A key sent by script has no
 * such effect, so it is done here, by the same rules.
 */

import type { Chord } from "./chord";
import { isPrintable } from "./chord";
import { upwards, within } from "./composed";
import type { Field } from "./fields";
import { isTextField, isWritable } from "./fields";
import { moveFocus } from "./focusing";
import { stepControl } from "./key-controls";
import { nextInOrder } from "./tab-order";
import { edit, sendChange, typeText } from "./typing";

/** Does what the key does, and says so; "" where it does nothing. */
export function actOnKey(element: Element, chord: Chord): string {
  const { key, modifiers } = chord;
  const field = isTypable(element) ? element : null;
  if (key === "Tab") return tab(element, modifiers.includes("Shift"));
  if (field !== null && modifiers.some((each) => each === "Control" || each === "Meta")) return command(field, key);
  if (modifiers.some((modifier) => modifier !== "Shift")) return "";
  if (key === "Enter") return enter(element, field);
  if (key === "Escape") return closeTopmost(element);
  if (field !== null && isPrintable(chord)) return type(field, key);
  if (key === " ") return press(element);
  if (field !== null && (key === "Backspace" || key === "Delete")) return erase(field, key);
  return stepControl(element, key) || (field === null ? "" : moveCaret(field, key));
}

const UNTYPED = new Set("button submit reset image checkbox radio file range color hidden".split(" "));

/** Whether keys are typed into an element. */
export function isTypable(element: Element): element is Field {
  if (isTextField(element)) return !(UNTYPED.has(element.type) || element.disabled || element.readOnly);
  return isWritable(element);
}

function type(field: Field, key: string): string {
  typeText(field, key);
  return "typed it";
}

function erase(field: Field, key: string): string {
  edit(field, key === "Backspace" ? "delete" : "forwardDelete");
  return "erased";
}

function command(field: Field, key: string): string {
  const known = COMMANDS.get(key.toLowerCase());
  if (known === undefined) return "";
  edit(field, known.name);
  return known.said;
}

const COMMANDS: ReadonlyMap<string, { name: string; said: string }> = new Map([
  ["a", { name: "selectAll", said: "selected everything in it" }],
  ["z", { name: "undo", said: "undid the last edit" }],
  ["y", { name: "redo", said: "redid the last edit" }],
]);

function tab(element: Element, back: boolean): string {
  const next = nextInOrder(element, back);
  if (next === null) return "";
  if (isTextField(element) && element.value !== element.defaultValue) sendChange(element);
  moveFocus(element.ownerDocument, next);
  return "moved the focus";
}

const PRESSED_BY_ENTER =
  "button, a[href], area[href], summary, input[type='button'], input[type='submit'], input[type='reset'], input[type='image']";

function enter(element: Element, field: Field | null): string {
  if (field !== null && !(field instanceof HTMLInputElement)) {
    edit(field, field instanceof HTMLTextAreaElement ? "insertLineBreak" : "insertParagraph");
    return "began a new line";
  }
  if (element.matches(PRESSED_BY_ENTER) && element instanceof HTMLElement) return clicked(element);
  return element instanceof HTMLInputElement ? submit(element) : "";
}

const TEXT_INPUTS = "text search url tel email password date month week time datetime-local number".split(" ");

/** Implicit submission: the form's default button, or the form itself when it has one line of text only. */
function submit(input: HTMLInputElement): string {
  const { form } = input;
  if (form === null) return "";
  sendChange(input);
  const controls = [...form.elements];
  const button = controls.find((control) => isSubmitter(control));
  if (button instanceof HTMLElement) return button.matches(":disabled") ? "" : clicked(button, "submitted the form");
  const lines = controls.filter((each) => each instanceof HTMLInputElement && TEXT_INPUTS.includes(each.type));
  if (lines.length > 1) return "";
  form.requestSubmit();
  return "submitted the form";
}

function isSubmitter(control: Element): boolean {
  if (control instanceof HTMLButtonElement) return control.type === "submit";
  return control instanceof HTMLInputElement && (control.type === "submit" || control.type === "image");
}

const PRESSED_BY_SPACE = `button, summary, input[type='button'], input[type='submit'], input[type='reset'], input[type='checkbox'], input[type='radio']`;

function press(element: Element): string {
  return element.matches(PRESSED_BY_SPACE) && element instanceof HTMLElement ? clicked(element) : "";
}

function clicked(element: HTMLElement, said = "pressed it"): string {
  element.click();
  return said;
}

/** Closes the dialog or popover around the focus, or else the topmost one of the page. */
function closeTopmost(element: Element): string {
  const document = element.ownerDocument;
  const open = [...upwards(element), ...within(document.documentElement, "dialog[open], [popover]").reverse()];
  const popover = open.find((each) => isOpenPopover(each));
  if (popover instanceof HTMLElement) {
    popover.hidePopover();
    return "closed the popover";
  }
  const dialog = open.find((each) => each instanceof HTMLDialogElement && each.matches(":modal"));
  if (!(dialog instanceof HTMLDialogElement)) return "";
  if (!dialog.dispatchEvent(new Event("cancel", { cancelable: true }))) return "";
  dialog.close();
  return "closed the dialog";
}

function isOpenPopover(element: Element): boolean {
  return element.matches("[popover]:not([popover='manual'])") && element.matches(":popover-open");
}

function moveCaret(field: Field, key: string): string {
  const selection = field.ownerDocument.getSelection();
  const move = CARET_MOVES.get(key);
  if (move === undefined || selection === null) return "";
  selection.modify("move", ...move);
  return "moved the caret";
}

const CARET_MOVES: ReadonlyMap<string, readonly [string, string]> = new Map([
  ["ArrowLeft", ["left", "character"] as const],
  ["ArrowRight", ["right", "character"] as const],
  ["ArrowUp", ["backward", "line"] as const],
  ["ArrowDown", ["forward", "line"] as const],
  ["Home", ["backward", "lineboundary"] as const],
  ["End", ["forward", "lineboundary"] as const],
]);
