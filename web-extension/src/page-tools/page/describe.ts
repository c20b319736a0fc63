/**
 * Role and name of one element, by the code of capture, as they are shown to the person and compared later.
 *
 * Secret fields are recognised here: what capture would hide, no tool types into unasked.
 */
import { clean, explicitName, fallbackName, Labels, NAME_MAX, plainText } from "../../capture/page/names";
import { roleOf } from "../../capture/page/roles";
import { isEditable, isSecretField, shownValue } from "../../capture/page/states";
import { secrecyOf } from "../../capture/secret-words";
import { clip } from "../../capture/text";

/** What an element is called. */
export interface Described {
  role: string;
  name: string;
}

/** Roles of things that hold much, or what is typed into them: their content is no name. */
const HOLDERS = new Set(
  (
    "textbox searchbox combobox spinbutton slider listbox img iframe main navigation banner contentinfo complementary region form " +
    "search group list table grid treegrid tree menu menubar tablist tabpanel toolbar article feed figure radiogroup"
  ).split(" "),
);
const DIALOGS = new Set(["dialog", "alertdialog"]);

/** Role and name of an element; the name is "" where it has none. */
export function describe(element: Element): Described {
  const role = isEditable(element) && roleOf(element) === "generic" ? "textbox" : roleOf(element);
  const labels = new Labels();
  const root = element.getRootNode();
  if (root instanceof Document || root instanceof ShadowRoot) labels.collect(root);
  return { role, name: explicitName(element, role, labels) || contentName(element, role) || fallbackName(element) };
}

/** A dialog without a name is called by its first heading. */
function contentName(element: Element, role: string): string {
  if (HOLDERS.has(role)) return "";
  const heading = DIALOGS.has(role) ? element.querySelector("h1, h2, h3, h4, [role='heading']") : null;
  return clean(plainText(heading ?? element), DIALOGS.has(role) ? DIALOG_NAME_MAX : NAME_MAX);
}

const DIALOG_NAME_MAX = 120;
const SPOKEN_MAX = 80;

/** `button "Save"`, or only the role of what has no name. */
export function spoken({ role, name }: Described): string {
  return name === "" ? role : `${role} "${clip(name, SPOKEN_MAX)}"`;
}

/** The same for an element. */
export function spokenOf(element: Element): string {
  return spoken(describe(element));
}

/** What a control shows, as capture would give it: without secrets, "" where it may not be read. */
export function shownIn(element: Element): string {
  return shownValue(element, describe(element)) ?? "";
}

/** Whether what a person types here is theirs alone: a password, a token, a card number. */
export function isSecret(element: Element): boolean {
  if (isSecretField(element)) return true;
  if (!isTypedInto(element)) return false;
  const { name } = describe(element);
  const names = [name, element.getAttribute("name"), element.id, element.getAttribute("placeholder")];
  return names.some((each) => each !== null && each !== "" && secrecyOf(each) === "secret");
}

/** Whether a person can type into an element. */
export function isTypedInto(element: Element): boolean {
  if (element instanceof HTMLTextAreaElement) return true;
  if (element instanceof HTMLInputElement) return !PRESSED_INPUTS.has(element.type);
  return isEditable(element);
}

const PRESSED_INPUTS = new Set("button submit reset image checkbox radio file hidden".split(" "));
