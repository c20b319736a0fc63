// @ts-check
/** The states in which something is done to a page, at the width of a narrow panel and of a wide one. */
import { press, state } from "./state.mjs";

/**
 * @typedef {import("./state.mjs").Page} Page
 * @typedef {import("./state.mjs").State} State
 */

const SITE = "example-corp.console.ves.volterra.io";
const NARROW = 360;
const WIDE = 800;

/**
 * A state at both widths.
 * @param {string} scene
 * @param {string[]} texts
 * @param {Partial<State>} [more]
 * @returns {State}
 */
const both = (scene, texts, more = {}) => state(scene, texts, { show: { scene, width: NARROW }, wide: WIDE, ...more });

/** @param {string} text @returns {(page: Page) => Promise<void>} */
const openTool = (text) => (page) => page.locator("summary", { hasText: text }).click();

/** @param {Page} page */
const pictureShown = async (page) => {
  await page.locator("img.media-picture").first().waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll("img.media-picture")].every(
      (picture) => picture instanceof HTMLImageElement && picture.complete,
    ),
  );
};

/** @type {State[]} */
const consents = [
  both("consent-click", [
    "Sidewire asks before it acts",
    "Edit",
    SITE,
    "Once",
    "This conversation",
    "Always on this site",
    "Don't",
    "Waiting for your answer",
  ]),
  both("consent-type", ["Domain", "shop.example.com ↵ www.shop.example.com"]),
  both("consent-long-value", ["2,520 characters in all"]),
  both("consent-secret", ["password field", "not shown"], {
    absent: [".consent-value", "[data-answer=always]", "[data-answer=conversation]"],
  }),
  both("consent-choose", ["HTTPS with automatic certificate", "Load balancer type"]),
  both("consent-press", ["Enter", "Search"]),
  both("consent-scroll", ["Scroll the page on"]),
  both("consent-navigate", ["/web/namespaces/default/origin_pools/api-eu"]),
  both("consent-limited", ["each action is asked about on its own"], { absent: ["[data-answer=always]"] }),
  both("consent-hostile", ["[U+202E]on", "bank.example.attacker.example"], { absent: [".consent b"] }),
  both("consent-ending", ["Without an answer it will not be done, in 2"]),
  both("consent-in-frame", ["pay.example", 'row "api-eu"', "comes from somewhere else"], {
    absent: ["[data-answer=always]", "[data-answer=conversation]"],
  }),
  both("consent-unnamed", ["without a name", 'button · row "lb1"']),
  both("consent-long-address", ["characters in all"]),
  both("consent-long-choice", ["Frankfurt", "characters in all"]),
  both("consent-several", ["1 of 3"]),
  both("elsewhere", ["Another conversation waits for your answer.", "Show"]),
  state("consent-click", ["Once"], { name: "consent-320", show: { scene: "consent-click", width: 320, height: 600 } }),
];

/** @type {State[]} */
const tools = [
  both("tools", ["Fill in a field", "Looked in 2 of 5 frames", "Crm lookup account", "640 ms", "1 s"]),
  both("tools-stopped", ["Stopped."], { absent: [".spinner"] }),
  both("tools", ['"text": "shop.example.com"', "the field cannot be changed now"], {
    name: "tool-failed-open",
    steps: openTool("Fill in a field"),
  }),
  both("tools", ["So far", "Looked in 2 of 5 frames"], { name: "tool-running-open", steps: openTool("Wait for") }),
  both("tools", ["Nothing was recorded"], { name: "tool-empty-open", steps: openTool("Take a picture") }),
];

/** @type {State[]} */
const media = [
  both("media-image", ["reports an unhealthy origin", "Picture of the page", "21 KB"], {
    steps: pictureShown,
  }),
  both("media-plain", ["Picture of the page"], { steps: pictureShown }),
  both("media-loading", ["256 KB of"]),
  both("media-failed", ["List of load balancers", "not available any more", "Try again"]),
  both("media-damaged", ["damaged and is not shown", "Try again"], { absent: ["img.media-picture"] }),
  both("media-video", ["How the form is filled in", "Source: docs.example.com"], {
    steps: (page) => page.locator("video").waitFor(),
  }),
  both("media-animation", ["FFmpeg is not installed", "Shown by the assistant"], { steps: pictureShown }),
  both("media-raster", ["Five rows", "0:00 / 0:02"], { steps: pictureShown }),
  both("media-text", ["vesctl get http_loadbalancer", "What was run"]),
  both("media-text", ["<b>not bold</b> [U+202E]turned"], {
    name: "media-text-later",
    steps: async (page) => {
      await page.getByRole("slider", { name: "Position" }).press("ArrowRight");
    },
    absent: [".media b"],
  }),
  both("media-image", ["100 %", "Fit"], {
    name: "media-large",
    steps: async (page) => {
      await pictureShown(page);
      await page.locator(".media-open").click();
      await page.getByRole("dialog").waitFor();
    },
  }),
  both("media-image", ["100 %"], {
    name: "media-large-actual",
    steps: async (page) => {
      await pictureShown(page);
      await page.locator(".media-open").click();
      await press("100 %")(page);
    },
  }),
];

/** @type {State[]} */
const options = [
  both("grants", [`https://${SITE}`, "Fill in fields", "Revoke all", "Nobody manages Sidewire"], {
    name: "options-grants",
    show: { scene: "grants", page: "options", width: NARROW },
  }),
  both("policy", ["volterra.io", "*://*/admin/*", "Each action is asked about each time", "asked about all the same"], {
    name: "options-policy",
    show: { scene: "policy", page: "options", width: NARROW },
  }),
];

/** All of them. @type {State[]} */
export const ACTING = [...consents, ...tools, ...media, ...options];
