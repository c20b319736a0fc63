/** The things a person types into, and which of them an element stands for. */
import { isEditable } from "../../capture/page/states";
import { within } from "./composed";
import { spokenOf } from "./describe";
import { ToolFault } from "./fault";
import { isSecret, isTypedInto } from "./secret";

/** A form field for text. */
export type TextField = HTMLInputElement | HTMLTextAreaElement;
/** Anything that can be typed into. */
export type Field = TextField | HTMLElement;

/** What to use for the fields that are not typed into. */
const OTHER_TOOL: ReadonlyMap<string, string> = new Map([
  ["checkbox", "use page_click"],
  ["radio", "use page_click"],
  ["button", "use page_click"],
  ["submit", "use page_click"],
  ["reset", "use page_click"],
  ["image", "use page_click"],
  ["file", "files can only be chosen by the person"],
]);

const TYPED = "input, textarea, [contenteditable]:not([contenteditable='false'])";

/** The field an element is, or holds when it is only drawn around one. */
export function fieldOf(element: Element): Field {
  if (element instanceof HTMLLabelElement && element.control !== null) return fieldOf(element.control);
  if (element instanceof HTMLSelectElement)
    throw new ToolFault("wrong-kind", "it is a list of options; use page_select");
  if (element instanceof HTMLInputElement && !isTypedInto(element)) throw wrongInput(element);
  if (isTextField(element) || isWritable(element)) return element;
  const inside = within(element, TYPED).filter((each) => isTypedInto(each));
  const [only] = inside;
  if (only instanceof HTMLElement && inside.length === 1) return only;
  throw new ToolFault("not-editable", `${spokenOf(element)} cannot be typed into`);
}

function wrongInput(input: HTMLInputElement): ToolFault {
  return new ToolFault(
    "wrong-kind",
    `${spokenOf(input)} is not typed into; ${OTHER_TOOL.get(input.type) ?? "it is hidden"}`,
  );
}

/** True for an input or a textarea. */
export function isTextField(element: Element | null): element is TextField {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}

/** True for something that is written in without a form field. */
export function isWritable(element: Element | null): element is HTMLElement {
  return element instanceof HTMLElement && (element.isContentEditable || isEditable(element));
}

/** Refuses a field that cannot be written. */
export function refuseReadonly(field: Field): void {
  const readonly = (isTextField(field) && field.readOnly) || field.getAttribute("aria-readonly") === "true";
  if (readonly) throw new ToolFault("not-editable", `${spokenOf(field)} is read-only`);
}

/** Refuses a field whose content is secret, unless the person has allowed it this once. */
export function refuseSecret(element: Element, mayTypeSecrets: boolean): void {
  if (isSecret(element) && !mayTypeSecrets) throw new ToolFault("secret-field", `${spokenOf(element)} holds a secret`);
}

/** What a field holds. */
export function contentOf(field: Field): string {
  return isTextField(field) ? field.value : writtenIn(field);
}

function writtenIn(element: HTMLElement): string {
  // biome-ignore lint/performance/useDomNodeTextContent: lines and hidden parts are told apart as a person sees them; without layout there is no inner text.
  return (element.innerText ?? element.textContent ?? "").replace(/\u00a0/g, " ").replace(/\n$/, "");
}
