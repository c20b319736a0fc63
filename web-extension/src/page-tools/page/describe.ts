/**
 * Role and name of one element, by the code of capture, as they are shown to the person and compared later.
 *
 * What reading the page would hide is in no name either (`hiding.ts`).
 */
import { explicitName, fallbackName, NAME_MAX } from "../../capture/page/names";
import { roleOf } from "../../capture/page/roles";
import { isEditable, shownValue } from "../../capture/page/states";
import { clip } from "../../capture/text";
import { PAGE_ROLE } from "../messages";
import { statedName, wordsOf } from "./hiding";
import { labelsAround } from "./secret";

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
  const { body, documentElement } = element.ownerDocument;
  if (element === body || element === documentElement) return { role: PAGE_ROLE, name: "" };
  const role = isEditable(element) && roleOf(element) === "generic" ? "textbox" : roleOf(element);
  const stated = explicitName(element, role, labelsAround(element));
  const name = stated === "" ? contentName(element, role) : statedName(element, stated);
  return { role, name: name || fallbackName(element) };
}

/** A dialog without a name is called by its first heading. */
function contentName(element: Element, role: string): string {
  if (HOLDERS.has(role)) return "";
  const heading = DIALOGS.has(role) ? element.querySelector("h1, h2, h3, h4, [role='heading']") : null;
  return wordsOf(heading ?? element, DIALOGS.has(role) ? DIALOG_NAME_MAX : NAME_MAX);
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
