/**
 * Puts text into fields so that the page takes it for typed: the value replaces what was there, and the events come
 * that a framework listens to.
 *
 * In the isolated world `value` is always the browser's own setter, whatever a framework has put on the element in the
 * page's world, so a controlled input sees a value it does not know yet and accepts it.
 */
import type { Field, TextField } from "./fields";
import { isTextField } from "./fields";
import { moveFocus } from "./focusing";
import { nextFrame } from "./waiting";

/** Replaces what a field holds. */
export async function replaceContent(field: Field, value: string, signal: AbortSignal): Promise<void> {
  moveFocus(field.ownerDocument, field);
  if (isTextField(field)) replaceValue(field, value);
  else await rewrite(field, value, signal);
}

function replaceValue(field: TextField, value: string): void {
  selectValue(field);
  const taken = announceInput(field, value === "" ? "deleteContentBackward" : "insertText", value);
  if (!taken) return;
  field.value = value;
  sendInput(field, value === "" ? "deleteContentBackward" : "insertText", value);
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

function selectValue(field: TextField): void {
  try {
    field.select();
  } catch {
    // Some kinds of fields have no selection.
  }
}

/** Tells the page what is about to be typed; false when it wants to do that itself or not at all. */
function announceInput(field: Element, inputType: string, data: string): boolean {
  const init = { bubbles: true, cancelable: true, composed: true, inputType, data: data === "" ? null : data };
  return field.dispatchEvent(new InputEvent("beforeinput", init));
}

function sendInput(field: Element, inputType: string, data: string): void {
  const init = { bubbles: true, composed: true, inputType, data: data === "" ? null : data };
  field.dispatchEvent(new InputEvent("input", init));
}

/** Writes anew what stands in an editable part of the page, by the browser's own editing, which editors follow. */
async function rewrite(element: HTMLElement, value: string, signal: AbortSignal): Promise<void> {
  const { ownerDocument: document } = element;
  document.getSelection()?.selectAllChildren(element);
  // Editors learn of a selection by an event of its own.
  if (document.defaultView !== null) await nextFrame(document.defaultView, signal);
  if (edit(element, value === "" ? "delete" : "insertText", value)) return;
  element.textContent = value;
  sendInput(element, "insertText", value);
}

const INPUT_TYPES: ReadonlyMap<string, string> = new Map([
  ["insertText", "insertText"],
  ["insertLineBreak", "insertLineBreak"],
  ["insertParagraph", "insertParagraph"],
  ["delete", "deleteContentBackward"],
  ["forwardDelete", "deleteContentForward"],
  ["undo", "historyUndo"],
  ["redo", "historyRedo"],
]);

/**
 * An editing command of the browser on the field that has the focus, which edits as a person does: with undo, input
 * events and the length limit. The page is asked first, as for a real key; one that edits by itself has done so.
 * False where nothing was done.
 */
export function edit(field: Element, command: string, value = ""): boolean {
  const inputType = INPUT_TYPES.get(command);
  if (inputType !== undefined && !announceInput(field, inputType, value)) return true;
  const { ownerDocument: document } = field;
  return typeof document.execCommand === "function" && document.execCommand(command, false, value);
}

/** Types text where the caret is in what has the focus. */
export function typeText(field: Field, text: string): void {
  if (edit(field, "insertText", text) || !isTextField(field)) return;
  insertAtCaret(field, text);
  sendInput(field, "insertText", text);
}

function insertAtCaret(field: TextField, text: string): void {
  const { value, selectionStart, selectionEnd, maxLength } = field;
  const start = selectionStart ?? value.length;
  const end = selectionEnd ?? value.length;
  const room = maxLength < 0 ? text.length : Math.max(0, maxLength - value.length + (end - start));
  field.value = value.slice(0, start) + text.slice(0, room) + value.slice(end);
}

/** Tells the page that a field's value is final, as leaving it does. */
export function sendChange(field: Element): void {
  field.dispatchEvent(new Event("change", { bubbles: true }));
}
