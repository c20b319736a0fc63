/** Judges every method on every page. */
import type { Fact, FactSheet } from "./facts";
import { ADMIN } from "./facts/admin";
import { OWN } from "./facts/own";
import { Told } from "./match";
import { BUDGETS, cut, type Reader, renderBlock, type Taken, wireText, withoutHeader } from "./methods";
import { ariaNotation, blockNotation, plainNotation } from "./notation";

/** All measured pages. */
export const SHEETS: readonly FactSheet[] = [...ADMIN, ...OWN];

/** What one text says of a page. */
export interface Score {
  view: number;
  all: number;
  missed: readonly Fact[];
  /** Phrases nobody can see that the text says nonetheless. */
  leaked: readonly string[];
}

/** The scores of one page at one budget. */
export interface Scores {
  budget: number;
  block: Score;
  aria: Score;
  plain: Score;
  /** Plain text when roles and states need not be told. */
  plainWords: Score;
}

/** Everything measured on one page. */
export interface PageResult {
  sheet: FactSheet;
  wire: Score;
  at: readonly Scores[];
}

/** Reads and judges one page. */
export async function measurePage(reader: Reader, sheet: FactSheet, budgets: readonly number[] = BUDGETS) {
  const taken = await reader.read(sheet);
  const at: Scores[] = [];
  for (const budget of budgets) at.push(await scoresAt(sheet, taken, budget));
  const wire = score(sheet, new Told(wireText(taken.snapshot), blockNotation));
  return { sheet, wire, at } satisfies PageResult;
}

async function scoresAt(sheet: FactSheet, taken: Taken, budget: number): Promise<Scores> {
  const block = withoutHeader(await renderBlock(taken.snapshot, budget));
  const plain = new Told(cut(taken.plain, budget), plainNotation);
  return {
    budget,
    block: score(sheet, new Told(block, blockNotation)),
    aria: score(sheet, new Told(cut(taken.aria, budget), ariaNotation)),
    plain: score(sheet, plain),
    plainWords: score(sheet, plain, (fact) => plain.mentions(fact)),
  };
}

function score(sheet: FactSheet, told: Told, says = (fact: Fact) => told.says(fact)): Score {
  const view = sheet.view.filter(says);
  const below = sheet.below.filter(says);
  const found = new Set([...view, ...below]);
  return {
    view: view.length,
    all: found.size,
    missed: [...sheet.view, ...sheet.below].filter((fact) => !found.has(fact)),
    leaked: sheet.hidden.filter((phrase) => told.leaks(phrase)),
  };
}

/** How many facts a page has. */
export function factsOf(sheet: FactSheet): number {
  return sheet.view.length + sheet.below.length;
}
