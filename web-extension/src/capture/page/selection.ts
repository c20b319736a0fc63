/** The text a person has selected, and what stands around it. */

import { clean } from "./names";
import { isSecretField } from "./states";

export const SELECTION_MAX = 4000;
const SURROUNDING = "p, li, tr, dl, td, blockquote, pre, section, article, fieldset, form, table, div";

/** The selected text of a document, without secrets; "" where nothing is selected. */
export function selectedText(document: Document): string {
  const active = document.activeElement;
  if (active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement) return selectedInField(active);
  const selection = document.getSelection();
  // The text of a selection is costly to make, even when it is empty.
  return selection === null || selection.isCollapsed ? "" : clean(selection.toString(), SELECTION_MAX);
}

function selectedInField(field: HTMLInputElement | HTMLTextAreaElement): string {
  if (isSecretField(field)) return "";
  const { selectionStart, selectionEnd } = field;
  if (selectionStart === null || selectionEnd === null) return "";
  return clean(field.value.slice(selectionStart, selectionEnd), SELECTION_MAX);
}

/** The elements whose content counts as near the selection. */
export function selectionSurroundings(document: Document): ReadonlySet<Element> {
  const selection = document.getSelection();
  const near = new Set<Element>();
  if (selection === null || selection.isCollapsed) return near;
  for (const node of [selection.anchorNode, selection.focusNode]) {
    const element = node instanceof Element ? node : (node?.parentElement ?? null);
    const around = element?.closest(SURROUNDING) ?? null;
    if (around !== null) near.add(around);
  }
  return near;
}
