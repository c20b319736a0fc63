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
 * The same state at both widths.
 * @param {string} scene
 * @param {string[]} texts
 * @param {Partial<State>} [more]
 * @returns {State[]}
 */
function atBothWidths(scene, texts, more = {}) {
  const { name = scene, show = { scene } } = more;
  return [
    state(scene, texts, { ...more, show: { ...show, width: NARROW } }),
    state(scene, texts, { ...more, name: `${name}-wide`, show: { ...show, width: WIDE } }),
  ];
}

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
  ...atBothWidths("consent-click", [
    "Sidewire asks before it acts",
    "Edit",
    SITE,
    "Once",
    "This conversation",
    "Always on this site",
    "Don't",
    "Waiting for your answer",
  ]),
  state("consent-unnamed", ["Click something without a name"]),
  state("consent-type", ["Domain", "shop.example.com ↵ www.shop.example.com"]),
  state("consent-long-value", ["1,320 more characters"]),
  state("consent-empty-value", ["will be emptied"]),
  ...atBothWidths("consent-secret", ["password field", "not shown"], {
    absent: [".consent-value", "[data-answer=always]", "[data-answer=conversation]"],
  }),
  state("consent-choose", ["HTTPS with automatic certificate", "Load balancer type"]),
  state("consent-press", ["Enter", "Search"]),
  state("consent-scroll", ["Scroll the page on"]),
  state("consent-navigate", ["/web/namespaces/default/origin_pools/api-eu"]),
  state("consent-limited", ["each action is asked about on its own"], { absent: ["[data-answer=always]"] }),
  state("consent-hostile", ["[U+202E]on", "bank.example.attacker.example"], { absent: [".consent b"] }),
  state("consent-ending", ["Without an answer it will not be done, in 2"]),
  state("consent-several", ["1 of 3"]),
  state("consent-click", ["Once"], { name: "consent-320", show: { scene: "consent-click", width: 320, height: 600 } }),
];

/** @type {State[]} */
const tools = [
  ...atBothWidths("tools", ["Fill in a field", "Looked in 2 of 5 frames", "Crm lookup account", "640 ms", "1 s"]),
  state("tools-stopped", ["Stopped."], { absent: [".spinner"] }),
  ...atBothWidths("tools", ['"text": "shop.example.com"', "the field cannot be changed now"], {
    name: "tool-failed-open",
    steps: openTool("Fill in a field"),
  }),
  state("tools", ["So far", "Looked in 2 of 5 frames"], { name: "tool-running-open", steps: openTool("Wait for") }),
  state("tools", ["Nothing was recorded"], { name: "tool-empty-open", steps: openTool("Take a picture") }),
];

/** @type {State[]} */
const media = [
  ...atBothWidths("media-image", ["reports an unhealthy origin", "Picture of the page", "21 KB"], {
    steps: pictureShown,
  }),
  state("media-plain", ["Picture of the page"], { steps: pictureShown }),
  ...atBothWidths("media-loading", ["256 KB of"]),
  ...atBothWidths("media-failed", ["List of load balancers", "not available any more", "Try again"]),
  state("media-damaged", ["damaged and is not shown", "Try again"], { absent: ["img.media-picture"] }),
  state("media-video", ["How the form is filled in", "Source: docs.example.com"], {
    steps: (page) => page.locator("video").waitFor(),
  }),
  state("media-animation", ["FFmpeg is not installed", "Shown by the assistant"], { steps: pictureShown }),
  ...atBothWidths("media-raster", ["Five rows", "0:00 / 0:02"], { steps: pictureShown }),
  ...atBothWidths("media-text", ["vesctl get http_loadbalancer", "What was run"]),
  state("media-text", ["<b>not bold</b> [U+202E]turned"], {
    name: "media-text-later",
    steps: async (page) => {
      await page.getByRole("slider", { name: "Position" }).press("ArrowRight");
    },
    absent: [".media b"],
  }),
  ...atBothWidths("media-image", ["100 %", "Fit"], {
    name: "media-large",
    steps: async (page) => {
      await pictureShown(page);
      await page.locator(".media-open").click();
      await page.getByRole("dialog").waitFor();
    },
  }),
  state("media-image", ["100 %"], {
    name: "media-large-actual",
    steps: async (page) => {
      await pictureShown(page);
      await page.locator(".media-open").click();
      await press("100 %")(page);
    },
  }),
];

/**
 * @param {string} scene
 * @param {number} width
 * @returns {State["show"]}
 */
const settings = (scene, width) => ({ scene, page: "options", width });

/** @type {State[]} */
const options = [
  ...[NARROW, WIDE].flatMap((width) => [
    state("grants", [`https://${SITE}`, "Fill in fields", "Revoke all", "Nobody manages Sidewire"], {
      name: `options-grants-${width}`,
      show: settings("grants", width),
    }),
    state("policy", ["volterra.io", "*://*/admin/*", "Each action is asked about each time"], {
      name: `options-policy-${width}`,
      show: settings("policy", width),
    }),
  ]),
  state("answer", ["Nothing is allowed for good"], { name: "options-no-grants", show: settings("answer", 480) }),
];

/** All of them. @type {State[]} */
export const ACTING = [...consents, ...tools, ...media, ...options];
