/** Value and state of controls. What a person typed into a secret field is never read. */
import { hidesLabelled, REDACTED } from "../redact";
import { secrecyOf } from "../secret-words";
import type { AxNode } from "../tree";
import { clean } from "./names";

const VALUE_MAX = 2000;
const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
const SECRET_FILLS = /(?:^|\s)(?:current-password|new-password|one-time-code|cc-\S+)(?:\s|$)/;

/** Fills the state members of a node from its element. What can be on says that it is off; other false ones stay absent. */
export function readState(element: Element, node: AxNode): void {
  const checked = CHECKABLE.has(node.role) ? checkedOf(element) : undefined;
  if (checked !== undefined) node.checked = checked;
  const pressed = triState(element.getAttribute("aria-pressed"));
  if (pressed !== undefined) node.pressed = pressed;
  if (isDisabled(element)) node.disabled = true;
  const expanded = expandedOf(element);
  if (expanded !== undefined) node.expanded = expanded;
  if (isTrue(element, "aria-selected")) node.selected = true;
  if (isTrue(element, "aria-required") || (isField(element) && element.required)) node.required = true;
  if (isTrue(element, "aria-readonly") || isReadonlyField(element)) node.readonly = true;
  if (isInvalid(element)) node.invalid = true;
  const current = element.getAttribute("aria-current");
  if (current !== null && current !== "" && current !== "false") node.current = clean(current, 20);
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function isField(element: Element): element is Field {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement
  );
}

function isTrue(element: Element, attribute: string): boolean {
  return element.getAttribute(attribute) === "true";
}

function triState(value: string | null): boolean | "mixed" | undefined {
  if (value === "mixed") return "mixed";
  return value === "true" ? true : value === "false" ? false : undefined;
}

function checkedOf(element: Element): boolean | "mixed" {
  if (!(element instanceof HTMLInputElement)) return triState(element.getAttribute("aria-checked")) ?? false;
  return element.indeterminate ? "mixed" : element.checked;
}

function isDisabled(element: Element): boolean {
  return isTrue(element, "aria-disabled") || element.matches(":disabled");
}

function expandedOf(element: Element): boolean | undefined {
  const stated = element.getAttribute("aria-expanded");
  if (stated === "true" || stated === "false") return stated === "true";
  const details = element.localName === "summary" ? element.parentElement : null;
  return details instanceof HTMLDetailsElement ? details.open : undefined;
}

function isReadonlyField(element: Element): boolean {
  if (element instanceof HTMLTextAreaElement) return element.readOnly;
  return element instanceof HTMLInputElement && element.readOnly && !["checkbox", "radio"].includes(element.type);
}

function isInvalid(element: Element): boolean {
  const stated = element.getAttribute("aria-invalid");
  if (stated !== null) return stated !== "false" && stated !== "";
  if (!isField(element) || element.validity.valid) return false;
  try {
    return element.matches(":user-invalid");
  } catch {
    return false;
  }
}

/** The value of a control as a person sees it; undefined where it has none or it must not be read. */
export function shownValue(element: Element, node: AxNode): string | undefined {
  if (element instanceof HTMLSelectElement) return clean(selectedText(element), VALUE_MAX);
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return typedValue(element, node);
  if (node.role === "columnheader" || node.role === "rowheader") return orderOf(element);
  const stated = element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow");
  if (stated !== null) return clean(stated, VALUE_MAX);
  if (element instanceof HTMLProgressElement)
    return element.position < 0 ? undefined : `${Math.round(element.position * 100)}%`;
  if (element instanceof HTMLMeterElement) return String(element.value);
  return isEditable(element) ? withoutSecret(element, clean(element.textContent, VALUE_MAX), node) : undefined;
}

/** How a column is sorted. */
function orderOf(header: Element): string | undefined {
  const order = header.getAttribute("aria-sort");
  return order === "ascending" || order === "descending" ? order : undefined;
}

function selectedText(select: HTMLSelectElement): string {
  return [...select.selectedOptions].map((option) => option.label || option.text).join(", ");
}

const VALUELESS_INPUTS = new Set(["hidden", "file", "checkbox", "radio", "button", "submit", "reset", "image"]);

function typedValue(field: HTMLInputElement | HTMLTextAreaElement, node: AxNode): string | undefined {
  // Whether it is filled in is no secret, and "empty" would be untrue.
  if (isSecretField(field)) return field.value === "" ? undefined : REDACTED;
  if (VALUELESS_INPUTS.has(field.type)) return undefined;
  return withoutSecret(field, clean(field.value, VALUE_MAX), node);
}

/** Fields whose content is secret whatever they are called. */
export function isSecretField(field: Element): boolean {
  return (
    (field instanceof HTMLInputElement && field.type === "password") ||
    SECRET_FILLS.test(field.getAttribute("autocomplete")?.toLowerCase() ?? "")
  );
}

/** Hides the value of a field that is named, or labelled, like a secret. */
function withoutSecret(element: Element, value: string, node: AxNode): string {
  if (value === "") return value;
  const names = [element.getAttribute("name"), element.id, node.name, element.getAttribute("placeholder")];
  const hidden = names.some(
    (name) => typeof name === "string" && name !== "" && (secrecyOf(name) === "secret" || hidesLabelled(name, value)),
  );
  return hidden ? REDACTED : value;
}

/** The root of something a person writes into without a form field. */
export function isEditable(element: Element): boolean {
  const stated = element.getAttribute("contenteditable");
  return stated !== null && stated !== "false";
}
