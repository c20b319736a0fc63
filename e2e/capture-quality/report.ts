/** The tables that are printed, and whether the goals are met. */
import { sentence, titleOf } from "./facts";
import { factsOf, type PageResult, type Score, type Scores } from "./measure";
import type { CaptureTimes } from "./timing";

/** The goals of issue 3. */
const GOALS = { view: 95, all: 97, milliseconds: 50 } as const;
const SMALL = 4096;
const MIDDLE = 12_288;

/** Everything as Markdown. */
export function report(results: readonly PageResult[], times: CaptureTimes, withMissed: boolean): string {
  const parts = [recallTable(results), summaryTable(results), goalsTable(results, times)];
  if (withMissed) parts.push(missedList(results));
  return `${parts.join("\n\n")}\n`;
}

function recallTable(results: readonly PageResult[]): string {
  const budgets = results[0]?.at.map(({ budget }) => `${budget / 1024} KiB`) ?? [];
  const head = ["page (facts)", `in view, ${budgets[0]}`, ...budgets, "wire"];
  const rows = results.map(({ sheet, at, wire }) => {
    const cellAt = (scores: Scores) => triple(scores, (score) => score.all, factsOf(sheet));
    const [first] = at;
    const view = first === undefined ? "-" : triple(first, (score) => score.view, sheet.view.length);
    return [`${titleOf(sheet)} (${factsOf(sheet)})`, view, ...at.map(cellAt), percent(wire.all, factsOf(sheet))];
  });
  const note = "Recall in % as *page block / ariaSnapshot / innerText*; *wire* is the snapshot of 64 KiB.";
  return `${note}\n\n${markdown(head, rows)}`;
}

function triple(scores: Scores, count: (score: Score) => number, facts: number): string {
  return [scores.block, scores.aria, scores.plain].map((score) => percent(count(score), facts)).join(" / ");
}

const METHODS = [
  ["page block", "block"],
  ["ariaSnapshot", "aria"],
  ["innerText", "plain"],
  ["innerText, words alone", "plainWords"],
] as const;

function summaryTable(results: readonly PageResult[]): string {
  const budgets = results[0]?.at.map(({ budget }) => budget) ?? [];
  const head = ["all pages", "in view, 4 KiB", ...budgets.map((budget) => `${budget / 1024} KiB`), "invisible, leaked"];
  const rows = METHODS.map(([title, method]) => {
    const recalls = budgets.map((budget) => share(results, budget, method, "all").toFixed(1));
    const leaks = results.flatMap(({ at }) => at.at(-1)?.[method].leaked ?? []).length;
    return [title, share(results, SMALL, method, "view").toFixed(1), ...recalls, String(leaks)];
  });
  const found = results.reduce((sum, { wire }) => sum + wire.all, 0);
  const leaked = results.flatMap(({ wire }) => wire.leaked).length;
  rows.push([
    "snapshot on the wire, 64 KiB",
    "-",
    ...budgets.map(() => "-").slice(1),
    percent(found, total(results)),
    String(leaked),
  ]);
  return markdown(head, rows);
}

function goalsTable(results: readonly PageResult[], times: CaptureTimes): string {
  const rows = [...recallGoals(results), timeGoal(times), leakGoal(results)];
  return markdown(["goal", "measured", "wanted", "result"], rows);
}

function recallGoals(results: readonly PageResult[]): string[][] {
  const view = share(results, SMALL, "block", "view");
  const all = share(results, MIDDLE, "block", "all");
  const behind = results.flatMap(({ sheet, at }) =>
    at.filter(isBehind(sheet)).map(({ budget }) => `${titleOf(sheet)} at ${budget / 1024} KiB`),
  );
  const where = behind.length === 0 ? "on every page at every budget" : `not: ${behind.join(", ")}`;
  return [
    goal("in view at 4 KiB", `${view.toFixed(1)} %`, `≥ ${GOALS.view} %`, view >= GOALS.view),
    goal("all at 12 KiB", `${all.toFixed(1)} %`, `≥ ${GOALS.all} %`, all >= GOALS.all),
    goal("above ariaSnapshot, or both whole", where, "everywhere", behind.length === 0),
  ];
}

function timeGoal({ elements, computed, clock, whole }: CaptureTimes): string[] {
  const parts = [
    `p50 ${ms(computed.p50)}, max ${ms(computed.max)} of the page's thread`,
    `by the clock ${ms(clock.p50)}, ${ms(clock.max)}`,
    `until the panel has it ${ms(whole.p50)}`,
  ];
  const { milliseconds } = GOALS;
  const title = `capture of ${elements} elements`;
  return goal(title, parts.join("; "), `p50 ≤ ${milliseconds} ms`, computed.p50 <= milliseconds);
}

function leakGoal(results: readonly PageResult[]): string[] {
  const ours = results.flatMap(({ at, wire }) => [...at.map(({ block }) => block), wire]);
  const leaks = ours.flatMap(({ leaked }) => leaked);
  return goal("invisible facts told", [leaks.length, ...new Set(leaks)].join(" "), "0", leaks.length === 0);
}

function ms(time: number): string {
  return `${time.toFixed(0)} ms`;
}

function isBehind(sheet: PageResult["sheet"]): (scores: Scores) => boolean {
  return ({ block, aria }) => block.all <= aria.all && !(block.all === factsOf(sheet) && aria.all === block.all);
}

function goal(what: string, measured: string, wanted: string, isMet: boolean): string[] {
  return [what, measured, wanted, isMet ? "PASS" : "MISS"];
}

function share(
  results: readonly PageResult[],
  budget: number,
  method: keyof Omit<Scores, "budget">,
  part: "view" | "all",
): number {
  const found = results.reduce(
    (sum, { at }) => sum + (at.find((scores) => scores.budget === budget)?.[method][part] ?? 0),
    0,
  );
  const facts = part === "all" ? total(results) : results.reduce((sum, { sheet }) => sum + sheet.view.length, 0);
  return (found / facts) * 100;
}

function total(results: readonly PageResult[]): number {
  return results.reduce((sum, { sheet }) => sum + factsOf(sheet), 0);
}

function percent(found: number, facts: number): string {
  return ((found / facts) * 100).toFixed(0);
}

function missedList(results: readonly PageResult[]): string {
  return results
    .flatMap(({ sheet, at, wire }) => [
      ...at.map(
        ({ budget, block }) =>
          `${titleOf(sheet)} at ${budget / 1024} KiB: ${block.missed.map(sentence).join(" | ") || "-"}`,
      ),
      `${titleOf(sheet)} on the wire: ${wire.missed.map(sentence).join(" | ") || "-"}`,
    ])
    .join("\n");
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
