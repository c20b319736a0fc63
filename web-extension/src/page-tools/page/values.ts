/**
 * Which values a field can hold. A value that the browser would drop, cut or change is refused before it is set, with
 * the form that is wanted.
 */
import { ToolFault } from "./fault";
import type { TextField } from "./fields";

const FORMS: ReadonlyMap<string, string> = new Map([
  ["date", "a date as 2026-03-31"],
  ["month", "a month as 2026-03"],
  ["week", "a week as 2026-W13"],
  ["time", "a time as 14:30"],
  ["datetime-local", "a date and time as 2026-03-31T14:30"],
  ["number", "a number as 12.5"],
  ["range", "a number as 12.5"],
  ["color", "a colour as #1a2b3c"],
]);

/** Refuses a value that the field cannot hold. */
export function refuseMisfit(field: TextField, value: string): void {
  const { maxLength } = field;
  if (maxLength >= 0 && value.length > maxLength && value !== field.value) {
    throw new ToolFault("bad-value", `the field takes at most ${maxLength} characters, this has ${value.length}`);
  }
  if (!(field instanceof HTMLInputElement)) return;
  const form = FORMS.get(field.type);
  if (form === undefined) return refuseLines(value);
  if (value === "" && field.type !== "color" && field.type !== "range") return;
  if (!isHeld(field, value)) throw new ToolFault("bad-value", `the field takes ${form}${boundsOf(field)}`);
}

function refuseLines(value: string): void {
  if (/[\r\n]/.test(value)) throw new ToolFault("bad-value", "the field takes one line only");
}

/** Whether a field of this kind keeps the value; tried on one that is not on the page. */
function isHeld(field: HTMLInputElement, value: string): boolean {
  const trial = field.ownerDocument.createElement("input");
  trial.type = field.type;
  for (const bound of ["min", "max", "step"]) {
    const stated = field.getAttribute(bound);
    if (stated !== null) trial.setAttribute(bound, stated);
  }
  trial.value = value;
  if (!isSameValue(field, trial.value, value)) return false;
  return !(trial.validity.rangeOverflow || trial.validity.rangeUnderflow);
}

/** Whether two values of a field mean the same. */
export function isSameValue(field: TextField, a: string, b: string): boolean {
  if (a === b) return true;
  if (field.type === "color") return a.toLowerCase() === b.toLowerCase();
  const counted = field.type === "number" || field.type === "range";
  if (counted) return a !== "" && b !== "" && Number(a) === Number(b);
  // "14:30" and "14:30:00" are one time.
  if (["time", "datetime-local"].includes(field.type))
    return a.replace(/:00(\.0+)?$/, "") === b.replace(/:00(\.0+)?$/, "");
  return a.replace(/\r\n?/g, "\n") === b.replace(/\r\n?/g, "\n");
}

function boundsOf({ min, max }: HTMLInputElement): string {
  if (min !== "" && max !== "") return ` from ${min} to ${max}`;
  return min !== "" ? ` from ${min} on` : max !== "" ? ` up to ${max}` : "";
}
