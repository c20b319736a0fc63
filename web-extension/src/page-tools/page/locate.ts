/**
 * Finds the elements that a role, a name and a text mean.
 *
 * It looks at the tree that capture makes, so what the model read is what it can name. Text that is in no name (a long
 * paragraph, a row that capture passed over) is looked for in the lines that page_text gives.
 */
import { refOf } from "../../capture/page/refs";
import { takesRef } from "../../capture/page/roles";
import { renderingOf } from "../../capture/page/visibility";
import type { PageTree } from "../../capture/page/walk";
import { walkPage } from "../../capture/page/walk";
import { REDACTED } from "../../capture/redact";
import { clip } from "../../capture/text";
import type { AxNode } from "../../capture/tree";
import type { Candidate } from "../messages";
import type { Arguments } from "./arguments";
import { flagArgument, textArgument } from "./arguments";
import { holds, nearest, upwards } from "./composed";
import { describe } from "./describe";
import type { Line } from "./visible-text";
import { readLines } from "./visible-text";

/** What to look for; at least one of the texts is given. */
export interface Locator {
  role?: string;
  name?: string;
  text?: string;
  exact: boolean;
}

/** An element that fits, with what capture calls it. */
export interface Match {
  element: Element;
  role: string;
  name: string;
  offscreen: boolean;
  /** Something a person can act on. */
  actable: boolean;
}

const CANDIDATE_NAME_MAX = 120;

/** Reads the locator of a call; null when it has none. */
export function locatorOf(args: Arguments): Locator | null {
  const role = textArgument(args, "role")?.trim().toLowerCase();
  const name = textArgument(args, "name");
  const text = textArgument(args, "text");
  const locator: Locator = { exact: flagArgument(args, "exact") };
  if (role) locator.role = role === "image" ? "img" : role;
  if (name !== undefined && folded(name) !== "") locator.name = name;
  if (text !== undefined && folded(text) !== "") locator.text = text;
  return "role" in locator || "name" in locator || "text" in locator ? locator : null;
}

/** All that fits, in the order of the page: what fits exactly, else what holds the words. */
export function located(view: Window, locator: Locator): Match[] {
  const read = walkPage(view);
  const fits: { match: Match; exact: boolean }[] = [];
  for (const [index, node] of read.tree.nodes.entries()) {
    const element = read.elements[index];
    const fit = element === null || element === undefined || index === 0 ? "no" : fitOf(node, locator);
    if (fit !== "no" && element) fits.push({ match: matchOf(element, node), exact: fit === "exact" });
  }
  const exact = fits.filter((each) => each.exact);
  const best = exact.length > 0 || locator.exact ? exact : fits;
  return best.length > 0 ? best.map(({ match }) => match) : textMatches(read, locator, view.document.body);
}

/** Of several, those a person can act on, when there are any. */
export function preferActable(matches: readonly Match[]): readonly Match[] {
  const actable = matches.filter((match) => match.actable);
  return actable.length > 0 ? actable : matches;
}

/** A match as the model is told about it. */
export function candidateOf(match: Match, prefix: string): Candidate {
  const { role, offscreen } = match;
  const name = clip(match.name, CANDIDATE_NAME_MAX);
  const candidate = { ref: `${prefix}${refOf(match.element)}`, role, name };
  return offscreen ? { ...candidate, offscreen: true } : candidate;
}

/** `kq12 button "Save"`, one line. */
export function candidateLine({ ref, role, name, offscreen }: Candidate): string {
  return `${ref} ${role}${name === "" ? "" : ` "${name}"`}${offscreen === true ? " (out of view)" : ""}`;
}

function matchOf(element: Element, node: AxNode): Match {
  const { role, name = "" } = node;
  return { element, role, name, offscreen: node.offscreen === true, actable: takesRef(element, role) };
}

type Fit = "exact" | "part" | "no";

function fitOf(node: AxNode, { role, name, text }: Locator): Fit {
  if (role !== undefined && node.role !== role) return "no";
  const byName = name === undefined ? "exact" : likeness(node.name ?? "", name);
  if (byName === "no" || text === undefined) return byName;
  const byText = [node.name, node.value, node.description].map((each) => likeness(each ?? "", text));
  if (byText.every((each) => each === "no")) return "no";
  return byName === "exact" && byText.includes("exact") ? "exact" : "part";
}

function likeness(has: string, wanted: string): Fit {
  const [whole, part] = [folded(has), folded(wanted)];
  if (whole === part) return "exact";
  return part !== "" && whole.includes(part) ? "part" : "no";
}

/** Case and white space make no difference: markup decides about both. */
export function folded(text: string): string {
  return text.toLowerCase().replace(/[\s\u200b\ufeff]+/g, "");
}

const HITS_MAX = 60;

/**
 * The smallest visible elements whose own words hold the text; a control in place of the words on it. The words are
 * looked for as reading gives them, so that what it hides cannot be found either.
 */
function textMatches({ tree, elements }: PageTree, { role, name, text, exact }: Locator, body: Element): Match[] {
  const wanted = folded(text ?? name ?? "");
  if (wanted === "" || (text !== undefined && name !== undefined)) return [];
  const hidden = new Set(elements.filter((_, index) => isHidden(tree.nodes[index])));
  const found = new Map<Element, Match>();
  for (const line of readLines(body).lines) {
    if (found.size >= HITS_MAX || !folded(line.text).includes(wanted)) continue;
    for (const holder of holdersOf(line, wanted, exact)) {
      if (renderingOf(holder) !== "shown" || isInside(holder, hidden)) continue;
      const match = textMatch(holder);
      if (role === undefined || match.role === role) found.set(match.element, match);
    }
  }
  return [...found.values()];
}

/** The elements with the words in a line: of the piece that has them by itself, else of all its pieces together. */
function holdersOf({ text, words }: Line, wanted: string, exact: boolean): Element[] {
  const fits = (has: string) => (exact ? folded(has) === wanted : folded(has).includes(wanted));
  // Which piece of a line with a secret has the words would say something of the secret.
  const pieces = text.includes(REDACTED) ? [] : words.filter(({ data }) => fits(data));
  if (pieces.length > 0) return pieces.flatMap(({ parentElement }) => parentElement ?? []);
  const [first, ...others] = words.flatMap(({ parentElement }) => parentElement ?? []);
  if (first === undefined || !fits(text)) return [];
  for (const at of upwards(first)) if (others.every((other) => holds(at, other))) return [at];
  return [];
}

function isHidden(node: AxNode | undefined): boolean {
  return node?.name === REDACTED;
}

function isInside(element: Element, parts: ReadonlySet<Element | null>): boolean {
  for (const at of upwards(element)) if (parts.has(at)) return true;
  return false;
}

const CONTROLS =
  "a[href], button, summary, label, [role='button'], [role='link'], [role='tab'], [role='option'], [role^='menuitem'], [onclick]";

function textMatch(holder: Element): Match {
  const element = nearest(holder, CONTROLS) ?? holder;
  const described = describe(element);
  const actable = takesRef(element, described.role);
  return { element, ...described, offscreen: false, actable };
}
