/**
 * Where on the page an element is, in names: its row, its group, its dialog. That is how a person tells twenty buttons
 * "Delete" apart.
 */
import { roleOf } from "../../capture/page/roles";
import { clip } from "../../capture/text";
import { parentOf } from "./composed";
import { describe } from "./describe";

const PART_MAX = 80;
/** A name of a part that is further up than this says nothing any more. */
const DEPTH_MAX = 40;
const PARTS_MAX = 3;

/** Parts of a page whose names say where something is. */
const PLACES = new Set(
  "row listitem article group radiogroup region form search dialog alertdialog tabpanel toolbar menu".split(" "),
);
/** Their names are all that they hold; what they are about is its beginning. */
const ROWS = new Set(["row", "listitem", "article"]);
const DIALOGS = new Set(["dialog", "alertdialog"]);

/** The names of what an element is in, the nearest first; "" where nothing around it has one. */
export function contextOf(element: Element): string {
  const own = describe(element).name;
  const parts: string[] = [];
  let at = parentOf(element);
  for (let depth = 0; at !== null && depth < DEPTH_MAX && parts.length < PARTS_MAX; depth += 1) {
    const role = roleOf(at);
    const called = nameOf(at, role, own);
    const part = called === "" ? "" : `${role} "${clip(called, PART_MAX)}"`;
    if (part !== "" && !parts.includes(part)) parts.push(part);
    if (DIALOGS.has(role)) break;
    at = parentOf(at);
  }
  return parts.join(" · ");
}

function nameOf(place: Element, role: string, own: string): string {
  if (!PLACES.has(role)) return "";
  return ROWS.has(role) ? headOf(place, own) : describe(place).name;
}

const HEADS =
  "th, [role='rowheader'], td, [role='cell'], [role='gridcell'], h1, h2, h3, h4, h5, h6, [role='heading'], a[href]";

/** What a row is about: the first of its cells, headings and links that says something else than the element itself. */
function headOf(row: Element, own: string): string {
  const heads = [...row.querySelectorAll(HEADS)].slice(0, 20);
  const header = heads.find((head) => head.matches("th, [role='rowheader']"));
  const names = [...(header === undefined ? [] : [header]), ...heads].map((head) => describe(head).name);
  return names.find((name) => name !== "" && name !== own) ?? describe(row).name;
}
