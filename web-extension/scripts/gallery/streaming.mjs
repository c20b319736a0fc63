// @ts-check
/** How the transcript behaves while text arrives and when there is very much of it. */
import { check, drawn, open, post, posted, SHOWN } from "./browser.mjs";

/**
 * @typedef {import("./browser.mjs").Check} Check
 * @typedef {import("./browser.mjs").Page} Page
 */

/** Half a frame at 60 Hz would be ideal; shared machines get a whole one and its jitter. */
const TYPING_MS = 16;
const LINE = "Another line of the answer, long enough to wrap once.\n\n";

/** @param {Page} page @param {number} at @param {string} text */
const delta = (page, at, text) => post(page, { kind: "delta", key: SHOWN, turn: "c-2", at, text });

/** @param {Page} page */
const place = (page) =>
  page.locator(".transcript").evaluate((element) => ({
    top: element.scrollTop,
    rest: element.scrollHeight - element.scrollTop - element.clientHeight,
  }));

/** @param {Page} page */
const answer = async (page) => (await page.locator("[data-turn=c-2] .markdown").textContent())?.trim();

/** @param {Page} page @param {string} text */
const shows = (page, text) =>
  page.waitForFunction((wanted) => document.querySelector(".transcript")?.textContent?.includes(wanted), text);

/** @param {import("./browser.mjs").Place} where */
async function followsTheEnd(where) {
  const { page } = await open(where, { scene: "streaming", height: 420 });
  let at = 420;
  for (let count = 0; count < 12; count += 1, at += LINE.length) await delta(page, at, LINE);
  await delta(page, at, "THE END");
  await shows(page, "THE END");
  await drawn(page);
  check((await place(page)).rest < 2, "the end is followed");
  await page.locator(".transcript").hover();
  await page.mouse.wheel(0, -300);
  await page.getByRole("button", { name: "Latest" }).waitFor();
  const before = await place(page);
  await delta(page, at + 7, `\n\n${LINE}${LINE}MORE`);
  await shows(page, "MORE");
  await drawn(page);
  check((await place(page)).top === before.top, "text that is being read does not move");
  await page.getByRole("button", { name: "Latest" }).click();
  await drawn(page);
  check((await place(page)).rest < 2, "the button leads to the end");
}

/** @param {import("./browser.mjs").Place} where */
async function keepsFinishedBlocks(where) {
  const { page } = await open(where, { scene: "streaming" });
  await page.evaluate(() => {
    const first = document.querySelector(".md-block");
    Object.assign(globalThis, { first, changes: 0 });
    new MutationObserver((records) => {
      Object.assign(globalThis, { changes: Reflect.get(globalThis, "changes") + records.length });
    }).observe(first ?? document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  const opened = '** done.\n\n```json\n{"a": 1}\n';
  await delta(page, 420, opened);
  await shows(page, '{"a": 1}');
  const pre = await page.locator(".code pre").elementHandle();
  await delta(page, 420 + opened.length, '{"b": 2}\n');
  await shows(page, '{"b": 2}');
  check(await page.evaluate((element) => element?.isConnected === true, pre), "an open code block keeps its element");
  const kept = await page.evaluate(
    () =>
      document.querySelector(".md-block") === Reflect.get(globalThis, "first") &&
      Reflect.get(globalThis, "changes") === 0,
  );
  check(kept, "finished blocks keep their nodes untouched");
}

/** @param {import("./browser.mjs").Place} where */
async function addsNothingTwice(where) {
  const { page } = await open(where, { scene: "thinking" });
  await delta(page, 0, "A");
  await delta(page, 1, "B");
  await delta(page, 0, "A");
  await delta(page, 0, "AB");
  await shows(page, "AB");
  check((await answer(page)) === "AB", "a repeated delta adds nothing");
  check((await posted(page, "sync")).length === 0, "a repeat needs no sync");
  await delta(page, 9, "gap");
  await page.waitForFunction(() =>
    Reflect.get(globalThis, "gallery").posted.some((/** @type {{ kind: string }} */ m) => m.kind === "sync"),
  );
  check((await answer(page)) === "AB", "nothing is shown after a gap");
}

/** @param {import("./browser.mjs").Place} where */
async function announcesOnce(where) {
  const { page } = await open(where, { scene: "thinking" });
  await page.evaluate(() => {
    /** @type {string[]} */
    const said = [];
    Object.assign(globalThis, { said });
    const region = document.querySelector("[aria-live=polite]") ?? document;
    new MutationObserver(() => said.push(region.textContent ?? "")).observe(region, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
  check((await page.locator(".transcript").getAttribute("aria-live")) === "off", "the log itself says nothing");
  for (let at = 0; at < 10; at += 1) await delta(page, at, "x");
  await shows(page, "xxxxxxxxxx");
  const turn = await page.evaluate(() =>
    Reflect.get(globalThis, "gallery").turn({ id: "c-2", text: "The **answer**." }),
  );
  await post(page, { kind: "turn", key: SHOWN, turn });
  await page.getByText("New answer: The answer.").waitFor({ state: "attached" });
  await post(page, { kind: "alive", key: SHOWN, turn: "c-2" });
  await post(page, { kind: "turn", key: SHOWN, turn });
  await drawn(page);
  const said = await page.evaluate(() => Reflect.get(globalThis, "said"));
  check(said.length === 1, `said ${said.length} times: ${said.join(" | ")}`);
}

/** @param {import("./browser.mjs").Place} where */
async function olderKeepsThePlace(where) {
  const { page } = await open(where, { scene: "older", height: 420 });
  await page.locator(".transcript").evaluate((element) => element.scrollTo(0, 0));
  const first = page.locator("[data-turn=c-1]");
  await page.getByRole("button", { name: "Show earlier" }).click();
  await drawn(page);
  const before = await first.boundingBox();
  const turn = await page.evaluate(() => Reflect.get(globalThis, "gallery").turn({ id: "c-0", prompt: "Before all" }));
  await post(page, { kind: "older", key: SHOWN, turns: [turn] });
  await page.getByText("Before all").waitFor({ state: "attached" });
  await drawn(page);
  const after = await first.boundingBox();
  // The button itself goes away: the first turn may move up by its height, never down by an older turn's.
  check(
    before !== null && after !== null && Math.abs(after.y - before.y) < 60,
    `moved from ${before?.y} to ${after?.y}`,
  );
}

/** @param {import("./browser.mjs").Place} where */
async function longStaysSmooth(where) {
  const { page, problems } = await open(where, { scene: "long" });
  await page.getByText("Question 9999", { exact: true }).waitFor();
  const held = await page.locator(".turn").count();
  check(held > 3 && held < 60, `${held} turns in the document`);
  check((await place(page)).rest < 2, "a long conversation opens at its end");
  const field = page.getByRole("textbox", { name: "Your question" });
  await field.focus();
  const slowest = await field.evaluate(typingLatency, 40);
  check(slowest < TYPING_MS, `a key took ${slowest.toFixed(1)} ms`);
  await page.locator(".transcript").evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
  await page.waitForFunction(() => {
    const index = Number(document.querySelector(".turn")?.getAttribute("data-index"));
    return index > 2000 && index < 8000;
  });
  await drawn(page);
  await readsUpwards(page);
  await page.keyboard.press("Control+f");
  await page.getByRole("searchbox").fill("Question 1234");
  await page.getByText("Question 1234", { exact: true }).waitFor();
  check((await page.getByText("1 of 1").count()) === 1, "find sees what is not in the document");
  check((await page.locator(".turn[aria-setsize='10000']").count()) > 0, "turns say how many there are");
  check(problems.length === 0, problems.join("; "));
}

/** The median time a key takes until it is laid out. @param {Element} field @param {number} count */
async function typingLatency(field, count) {
  if (!(field instanceof HTMLTextAreaElement)) return Number.POSITIVE_INFINITY;
  /** @type {number[]} */
  const times = [];
  for (let typed = 0; typed < count; typed += 1) {
    const start = performance.now();
    field.value += "x";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await Promise.resolve();
    field.getBoundingClientRect();
    times.push(performance.now() - start);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return times.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
}

/** Scrolls up step by step: each step moves what is read by about the step, never by a jump. @param {Page} page */
async function readsUpwards(page) {
  await page.locator(".transcript").hover();
  for (let step = 0; step < 15; step += 1) {
    const before = await tops(page);
    await page.mouse.wheel(0, -240);
    await page.waitForFunction((top) => document.querySelector(".transcript")?.scrollTop !== top, before.scroll);
    await drawn(page);
    const after = await tops(page);
    const shared = [...before.turns].find(([id]) => after.turns.has(id));
    check(shared !== undefined, "some turn stays in view");
    if (shared === undefined) return;
    const moved = (after.turns.get(shared[0]) ?? 0) - shared[1];
    check(moved > 0 && moved < 480, `step ${step} moved what is read by ${moved} px`);
  }
}

/** @param {Page} page */
async function tops(page) {
  const { scroll, turns } = await page.evaluate(() => ({
    scroll: document.querySelector(".transcript")?.scrollTop ?? 0,
    turns: [...document.querySelectorAll(".turn")].map((turn) => [
      turn.getAttribute("data-turn") ?? "",
      turn.getBoundingClientRect().top,
    ]),
  }));
  return { scroll, turns: new Map(turns.map(([id, top]) => [String(id), Number(top)])) };
}

/** All of it. @type {Check[]} */
export const streaming = [
  { name: "the end is followed, reading is not disturbed", run: followsTheEnd },
  { name: "finished blocks keep their nodes", run: keepsFinishedBlocks },
  { name: "no delta is shown twice or after a gap", run: addsNothingTwice },
  { name: "an answer is announced once", run: announcesOnce },
  { name: "older turns keep the place", run: olderKeepsThePlace },
  { name: "10,000 turns stay smooth", run: longStaysSmooth },
];
