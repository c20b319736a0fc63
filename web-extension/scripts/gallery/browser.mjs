// @ts-check
/** The browser and the words in which checks are written. */
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {{ context: import("playwright-core").BrowserContext, origin: string }} Place
 * @typedef {{ name: string, run: (place: Place) => Promise<void> }} Check
 * @typedef {{ scene: string, theme?: "light" | "dark", page?: "options", width?: number, height?: number }} Show
 */

const USUAL_PLACES = [
  "/usr/lib/chromium/chromium",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** The key of the conversation that most scenes show. */
export const SHOWN = "key of 11111111-2222-4333-8444-555555555555";

/** Starts a headless browser. */
export async function launch() {
  const executablePath = process.env["SIDEWIRE_BROWSER"] ?? USUAL_PLACES.find((place) => existsSync(place));
  if (executablePath === undefined) throw new Error("no Chromium found; set SIDEWIRE_BROWSER to its path");
  return chromium.launch({ executablePath, headless: true, args: ["--no-sandbox"] });
}

/**
 * Opens a scene; errors and warnings of the page become errors of the check.
 * @param {Place} place
 * @param {Show} show
 */
export async function open({ context, origin }, { scene, theme = "light", page: kind, width = 380, height = 720 }) {
  const page = await context.newPage();
  await page.setViewportSize({ width, height });
  /** @type {string[]} */
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  const query = new URLSearchParams({ scene, theme, ...(kind === undefined ? {} : { page: kind }) });
  await page.goto(`${origin}/?${query}`);
  await page.locator(".panel, .options").waitFor();
  return { page, problems };
}

/** @param {boolean} condition @param {string} what */
export function check(condition, what) {
  if (!condition) throw new Error(what);
}

/**
 * Speaks to the page as the service worker would.
 * @param {Page} page
 * @param {unknown} event
 */
export async function post(page, event) {
  await page.evaluate((message) => Reflect.get(globalThis, "gallery").post(message), event);
}

/**
 * What the page sent to the service worker, without the greeting.
 * @param {Page} page
 * @param {string} kind
 * @returns {Promise<Record<string, unknown>[]>}
 */
export async function posted(page, kind) {
  /** @type {Record<string, unknown>[]} */
  const all = await page.evaluate(() => Reflect.get(globalThis, "gallery").posted);
  return all.filter((message) => message["kind"] === kind);
}

/** Waits until the page has drawn what it heard. @param {Page} page */
export async function drawn(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Where the person writes. @param {Page} page */
export const composer = (page) => page.getByRole("textbox", { name: "Your question" });

/**
 * Waits until the service worker heard so many messages of a kind.
 * @param {Page} page
 * @param {string} kind
 * @param {number} count
 */
export async function heard(page, kind, count) {
  await page.waitForFunction(
    ([wanted, least]) =>
      Reflect.get(globalThis, "gallery").posted.filter((/** @type {{ kind: string }} */ m) => m.kind === wanted)
        .length >= Number(least),
    [kind, count],
  );
  return posted(page, kind);
}

/**
 * A check of what a scene does; any error of the page makes it fail.
 * @param {string} name
 * @param {string} scene
 * @param {(page: Page) => Promise<void>} run
 * @returns {Check}
 */
export const behaves = (name, scene, run) => ({
  name,
  run: async (place) => {
    const { page, problems } = await open(place, { scene });
    await run(page);
    check(problems.length === 0, problems.join("; "));
  },
});
