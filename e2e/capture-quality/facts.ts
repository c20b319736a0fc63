/**
 * What a fact is: something a person can see on a page and would ask about, as a predicate over a text.
 *
 * Facts are written by hand from the page's source and its picture at 1280×800, never from a capture. One rule judges
 * every method; a method differs only in its notation of roles and states (`notation.ts`):
 *
 * - Letter case, white space and quotation marks do not count; a phrase must stand free of other letters and digits.
 * - An *entry* is one line; of a line that joins several controls, one of them.
 * - `text`: the whole phrase in one entry; no phrase runs across markup, where some methods begin a new entry.
 * - `pair`: the value after its label, at most `PAIR_ROOM` characters apart.
 * - `cell`: the column's title somewhere before, and the value after the row's name, at most `ROW_ROOM` apart.
 * - `control`, `heading`, `dialog`: the name in an entry that also tells the role and, if given, the state.
 * - `field`: a control whose value follows its name at most `PAIR_ROOM` characters later, or is its chosen option.
 */

import type { Page } from "playwright-core";

/** Greatest distance between a label and its value, and between the name of a row and a cell of it. */
export const PAIR_ROOM = 60;
export const ROW_ROOM = 120;

/** A state that a person sees on a control. */
export type State =
  | "checked"
  | "unchecked"
  | "disabled"
  | "expanded"
  | "collapsed"
  | "pressed"
  | "selected"
  | "invalid";

/** One fact. */
export type Fact =
  | { kind: "text"; text: string }
  | { kind: "pair"; label: string; value: string }
  | { kind: "cell"; column: string; row: string; value: string }
  | { kind: "role"; role: string; name: string; state?: State; value?: string };

/** A page and what is true of it. */
export interface FactSheet {
  page: string;
  /** What was done on the page before it is read, in words and as it is done. */
  state?: { name: string; reach(page: Page): Promise<void> };
  /** Facts in view at 1280×800. */
  view: readonly Fact[];
  /** Facts a person finds by scrolling. */
  below: readonly Fact[];
  /** Phrases that are in the document and that nobody can see. */
  hidden: readonly string[];
}

export function text(phrase: string): Fact {
  return { kind: "text", text: phrase };
}

export function pair(label: string, value: string): Fact {
  return { kind: "pair", label, value };
}

export function cell(column: string, row: string, value: string): Fact {
  return { kind: "cell", column, row, value };
}

export function heading(name: string): Fact {
  return { kind: "role", role: "heading", name };
}

export function dialog(name: string): Fact {
  return { kind: "role", role: "dialog", name };
}

export function control(role: string, name: string, state?: State): Fact {
  return { kind: "role", role, name, ...(state !== undefined && { state }) };
}

export function field(role: string, name: string, value: string): Fact {
  return { kind: "role", role, name, value };
}

/** A page and its state in words. */
export function titleOf({ page, state }: FactSheet): string {
  return state === undefined ? page : `${page}, ${state.name}`;
}

/** A fact in words, for the list of what was missed. */
export function sentence(fact: Fact): string {
  switch (fact.kind) {
    case "text":
      return fact.text;
    case "pair":
      return `${fact.label}: ${fact.value}`;
    case "cell":
      return `${fact.row} / ${fact.column}: ${fact.value}`;
    case "role":
      return [fact.role, fact.name, fact.state, fact.value].filter((part) => part !== undefined).join(" · ");
  }
}
