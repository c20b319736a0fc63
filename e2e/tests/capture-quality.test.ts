/**
 * What a model learns of a page, guarded in small: three pages of `make bench`'s capture part at 12 KiB. Nothing here
 * is timed; the pages stand for menus that open, lists drawn with boxes, and frames.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { sentence, titleOf } from "../capture-quality/facts";
import { factsOf, measurePage, SHEETS } from "../capture-quality/measure";
import { Reader } from "../capture-quality/methods";
import { type PagesSite, pagesArgs, servePages } from "../capture-quality/site";
import { Browser } from "../harness/browser";
import { Home } from "../harness/home";

const GUARDED = ["admin/index, alerts open", "console", "frames"];
const BUDGET = 12_288;

let site: PagesSite;
let home: Home;
let browser: Browser;
let reader: Reader;

beforeAll(async () => {
  site = await servePages();
  home = await Home.create();
  browser = await Browser.launch(home, { withoutHost: true, args: pagesArgs(site) });
  reader = await Reader.open(browser);
});

afterAll(async () => {
  await browser.close();
  await home.close();
  await site.close();
});

test.each(GUARDED)("%s: what a person sees is told within 12 KiB, and nothing invisible", async (title) => {
  const sheet = SHEETS.find((candidate) => titleOf(candidate) === title);
  if (sheet === undefined) throw new Error(`no facts of ${title}`);
  const { at, wire } = await measurePage(reader, sheet, [BUDGET]);
  for (const { block, aria } of at) {
    expect(block.leaked).toEqual([]);
    expect(block.all / factsOf(sheet), block.missed.map(sentence).join(" | ")).toBeGreaterThanOrEqual(0.97);
    expect(block.all).toBeGreaterThanOrEqual(aria.all);
  }
  expect(at).toHaveLength(1);
  expect(wire.leaked).toEqual([]);
});
