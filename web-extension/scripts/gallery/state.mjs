// @ts-check
/** The words in which the states of the gallery are written. */

/**
 * `wide` is a second width at which a picture is taken: more room changes the layout, not what is said.
 *
 * @typedef {import("playwright-core").Page} Page
 * @typedef {{
 *   name: string,
 *   show: import("./browser.mjs").Show,
 *   steps?: (page: Page) => Promise<unknown>,
 *   texts: string[],
 *   absent?: string[],
 *   wide?: number,
 * }} State
 */

/** Presses a button. @param {string} name @returns {(page: Page) => Promise<void>} */
export const press = (name) => (page) => page.getByRole("button", { name }).first().click();

/** Writes into the composer. @param {string} text @returns {(page: Page) => Promise<void>} */
export const type = (text) => (page) => page.getByRole("textbox", { name: "Your question" }).fill(text);

/**
 * A scene, and what must be readable in it.
 * @param {string} scene
 * @param {string[]} texts
 * @param {Partial<State>} [more]
 * @returns {State}
 */
export const state = (scene, texts, more = {}) => ({ name: scene, show: { scene }, texts, ...more });
