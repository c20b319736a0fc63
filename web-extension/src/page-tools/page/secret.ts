/** Which fields are a person's own: what capture would hide, no tool types into unasked. */
import { explicitName, fallbackName, Labels } from "../../capture/page/names";
import { roleOf } from "../../capture/page/roles";
import { isEditable, isSecretField } from "../../capture/page/states";
import { secrecyOf } from "../../capture/secret-words";

/** Whether what a person types here is theirs alone: a password, a token, a card number. */
export function isSecret(element: Element): boolean {
  if (isSecretField(element)) return true;
  if (!isTypedInto(element)) return false;
  const names = [fieldName(element), element.getAttribute("name"), element.id, element.getAttribute("placeholder")];
  return names.some((each) => each !== null && each !== "" && secrecyOf(each) === "secret");
}

/** The name of a field, which never is what it holds. */
function fieldName(field: Element): string {
  return explicitName(field, roleOf(field), labelsAround(field)) || fallbackName(field);
}

/** Whether a person can type into an element. */
export function isTypedInto(element: Element): boolean {
  if (element instanceof HTMLTextAreaElement) return true;
  if (element instanceof HTMLInputElement) return !PRESSED_INPUTS.has(element.type);
  return isEditable(element);
}

const PRESSED_INPUTS = new Set("button submit reset image checkbox radio file hidden".split(" "));

/** The labels of the document or shadow root that an element is in. */
export function labelsAround(element: Element): Labels {
  const labels = new Labels();
  const root = element.getRootNode();
  if (root instanceof Document || root instanceof ShadowRoot) labels.collect(root);
  return labels;
}
