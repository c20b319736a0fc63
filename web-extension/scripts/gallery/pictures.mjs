// @ts-check
/** A picture of every state in both themes, with what must be readable in it and what axe-core says. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { check, drawn, open } from "./browser.mjs";
import { STATES } from "./states.mjs";

/** @typedef {import("./browser.mjs").Check} Check */
/** @typedef {import("./states.mjs").State} State */

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** In the second theme only the colours can differ. */
const THEMES = /** @type {const} */ ([
  { theme: "light", rules: {} },
  { theme: "dark", rules: { runOnly: ["color-contrast"] } },
]);

/**
 * One check per state.
 * @param {string} output folder of the pictures
 * @returns {Check[]}
 */
export function pictures(output) {
  return STATES.map((state) => ({ name: state.name, run: (place) => picture(place, state, output) }));
}

/**
 * @param {import("./browser.mjs").Place} place
 * @param {State} state
 * @param {string} output
 */
async function picture(place, state, output) {
  const { page, problems } = await open(place, state.show);
  await state.steps?.(page);
  for (const text of state.texts) await page.getByText(text, { exact: false }).first().waitFor({ timeout: 4000 });
  for (const selector of state.absent ?? [])
    check((await page.locator(selector).count()) === 0, `${selector} should not be there`);
  await page.evaluate(axe);
  const fullPage = state.show.page !== undefined;
  /** @param {string} theme @param {string} name */
  const take = async (theme, name) => {
    await page.evaluate((chosen) => document.documentElement.setAttribute("data-theme", chosen), theme);
    await drawn(page);
    await page.screenshot({ path: `${output}${name}-${theme}.png`, animations: "disabled", fullPage });
  };
  for (const { theme, rules } of THEMES) {
    await take(theme, state.name);
    await accessible(page, theme, rules);
  }
  await fitsAcross(page);
  if (state.wide !== undefined) {
    await page.setViewportSize({ width: state.wide, height: state.show.height ?? 720 });
    for (const { theme } of THEMES) await take(theme, `${state.name}-${state.wide}`);
    await fitsAcross(page);
  }
  check(problems.length === 0, problems.join("; "));
}

/** @param {import("playwright-core").Page} page */
async function fitsAcross(page) {
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  check(sideways <= 0, `the page scrolls sideways by ${sideways} px`);
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} theme
 * @param {object} rules
 */
async function accessible(page, theme, rules) {
  const { violations } = await page.evaluate((options) => Reflect.get(globalThis, "axe").run(document, options), rules);
  const lines = violations.map(
    (/** @type {{ id: string, nodes: { html: string, failureSummary: string }[] }} */ { id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} (${failureSummary.replaceAll(/\s+/g, " ")})`).join("; ")}`,
  );
  check(lines.length === 0, `axe-core in ${theme}: ${lines.join(" | ")}`);
}
