/** A browser with the pages that page tools are tried on, and what the tests say about answers and pages. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { Browser } from "../harness/browser";
import { Home } from "../harness/home";
import { browserArgs, type Site } from "../harness/site";
import { untilEqual } from "../harness/until";
import { type CallOptions, type Reply, TabTools } from "./driver";
import { pageUrl, servePages } from "./site";

let home: Home;
let site: Site;
/** The browser of the file that runs. */
export let browser: Browser;
const opened: Page[] = [];
let count = 0;

/** Registers the hooks that start a browser for a file, and close the pages of each test. */
export function startBrowser(): void {
  beforeAll(async () => {
    [home, site] = await Promise.all([Home.create(), servePages()]);
    browser = await Browser.launch(home, { withoutHost: true, args: browserArgs([site]) });
  });

  afterAll(async () => {
    await browser?.close();
    await home?.close();
    await site?.close();
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((page) => page.close()));
  });
}

/** A page with its tools, and shorthands for both. */
export async function open(name: string) {
  const page = await browser.context.newPage();
  opened.push(page);
  count += 1;
  // An address of its own, by which its tab is found.
  await page.goto(`${pageUrl(name)}?${count}`);
  const tools = await TabTools.of(browser, page);
  const run = (tool: string, args: Record<string, unknown>, options?: CallOptions) => tools.run(tool, args, options);
  const click = (role: string, more: string, options?: CallOptions) => run("page_click", { role, name: more }, options);
  const fill = (label: string, value: string, options?: CallOptions) =>
    run("page_fill", { name: label, value }, options);
  return { page, tools, run, click, fill };
}

/** What a field holds. */
export function value(page: Page, selector: string): Promise<string> {
  return page.locator(selector).inputValue();
}

/** What a page has written down of itself. */
export function noted(page: Page, name: string): Promise<unknown> {
  return page.evaluate((key) => Reflect.get(window, key), name);
}

/** Answered with an error of a code, and words that say why. */
export function refused(reply: Reply, code: string, detail: string | RegExp): void {
  expect(reply).toEqual({ ok: false, code, detail: expect.stringMatching(detail) });
}

/** The text of an answer that is no error. */
export function done(reply: Reply): string {
  expect(reply, JSON.stringify(reply)).toMatchObject({ ok: true });
  return reply.text ?? "";
}

/** As it is while a person types into the side panel; Playwright pretends otherwise. */
export async function takeFocusAway(page: Page): Promise<void> {
  const session = await browser.context.newCDPSession(page);
  await session.send("Emulation.setFocusEmulationEnabled", { enabled: false });
  const other = await browser.context.newPage();
  opened.push(other);
  await other.bringToFront();
  await untilEqual("whether the page has the focus", false, () => page.evaluate(() => document.hasFocus()));
}

/** The reference of the one element of a role and name. */
export async function refOf(
  run: (tool: string, args: Record<string, unknown>) => Promise<Reply>,
  role: string,
  name: string,
) {
  const { text = "" } = await run("page_find", name === "" ? { role } : { role, name });
  const ref = /^([a-z]{2}\d+) /.exec(text)?.[1];
  if (ref === undefined) throw new Error(`no reference in ${text}`);
  return ref;
}
