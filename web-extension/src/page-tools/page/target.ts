/** Which element a call means: by reference, or by a locator that fits exactly one. */
import { elementOf } from "../../capture/page/refs";
import { parseRef } from "../refs";
import type { Arguments } from "./arguments";
import { textArgument } from "./arguments";
import { ToolFault } from "./fault";
import type { Locator, Match } from "./locate";
import { candidateLine, candidateOf, located, locatorOf, preferActable } from "./locate";

/** Candidates that an ambiguous target lists. */
const LISTED = 10;

/** Where a target is looked for. */
export interface Place {
  view: Window;
  prefix: string;
}

/** The element a call means; null when it names none. */
export function resolved(args: Arguments, place: Place): Element | null {
  const ref = textArgument(args, "ref");
  if (ref !== undefined && ref !== "") return byRef(ref);
  const locator = locatorOf(args);
  return locator === null ? null : theOne(locator, place);
}

function byRef(ref: string): Element {
  const parsed = parseRef(ref);
  if (parsed === null) throw new ToolFault("bad-arguments", `"${ref}" is no reference; one looks like kq12`);
  const element = elementOf(parsed.local);
  if (element === null) throw new ToolFault("dead-ref", `${ref} is not on the page any more`);
  return element;
}

function theOne(locator: Locator, place: Place): Element {
  const matches = preferActable(located(place.view, locator));
  const [only] = matches;
  if (only === undefined) throw new ToolFault("no-such-element", `nothing on the page is ${wanted(locator)}`);
  if (matches.length > 1) throw new ToolFault("ambiguous", listed(matches, place.prefix));
  return only.element;
}

function listed(matches: readonly Match[], prefix: string): string {
  const lines = matches.slice(0, LISTED).map((match) => candidateLine(candidateOf(match, prefix)));
  const more = matches.length > LISTED ? [`and ${matches.length - LISTED} more`] : [];
  return `${matches.length} fit: ${[...lines, ...more].join("; ")}`;
}

/** The words of a locator, for messages. */
export function wanted({ role, name, text }: Locator): string {
  const parts = [
    role ?? "",
    name === undefined ? "" : `"${name}"`,
    text === undefined ? "" : `with the text "${text}"`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}
