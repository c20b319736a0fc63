/** The text a person has selected, and what stands around it. */

import { REDACTED } from "../redact";
import type { Labels } from "./names";
import { clean, explicitName, fallbackName } from "./names";
import { roleOf } from "./roles";
import { isSecretField, shownValue } from "./states";

export const SELECTION_MAX = 4000;
const SURROUNDING = "p, li, tr, dl, td, blockquote, pre, section, article, fieldset, form, table, div";
const EDITABLE = "[contenteditable]:not([contenteditable='false'])";

/** The selected text of a document, without secrets; "" where nothing is selected. */
export function selectedText(document: Document, labels: Labels): string {
  const active = focusedIn(document);
  if (isTextField(active)) return selectedInField(active, labels);
  const selection = document.getSelection();
  // The text of a selection is costly to make, even when it is empty.
  if (selection === null || selection.isCollapsed) return "";
  const written = elementOf(selection.anchorNode)?.closest(EDITABLE) ?? null;
  return written !== null && hidesValue(written, labels) ? "" : clean(selection.toString(), SELECTION_MAX);
}

/** Whether there is a selection that could be sent. */
export function hasSelection(document: Document): boolean {
  const active = focusedIn(document);
  if (isTextField(active)) return active.selectionStart !== active.selectionEnd && !isSecretField(active);
  return document.getSelection()?.isCollapsed === false;
}

/** The focused element, however deep in shadow roots. */
function focusedIn(document: Document): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

type TextField = HTMLInputElement | HTMLTextAreaElement;

function isTextField(element: Element | null): element is TextField {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}

function selectedInField(field: TextField, labels: Labels): string {
  const { selectionStart, selectionEnd } = field;
  if (selectionStart === null || selectionEnd === null || hidesValue(field, labels)) return "";
  return clean(field.value.slice(selectionStart, selectionEnd), SELECTION_MAX);
}

/** A part of a value must not show what the whole would not: only the whole may stand beside its label. */
function hidesValue(field: Element, labels: Labels): boolean {
  const role = roleOf(field);
  const name = explicitName(field, role, labels) || fallbackName(field);
  return shownValue(field, { role, name })?.includes(REDACTED) ?? true;
}

/** The elements whose content counts as near the selection. */
export function selectionSurroundings(document: Document): ReadonlySet<Element> {
  const selection = document.getSelection();
  const near = new Set<Element>();
  if (selection === null || selection.isCollapsed) return near;
  for (const node of [selection.anchorNode, selection.focusNode]) {
    const around = elementOf(node)?.closest(SURROUNDING) ?? null;
    if (around !== null) near.add(around);
  }
  return near;
}

function elementOf(node: Node | null): Element | null {
  return node instanceof Element ? node : (node?.parentElement ?? null);
}
