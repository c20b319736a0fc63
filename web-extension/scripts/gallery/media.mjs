// @ts-check
/** How media behaves in a real browser: it comes when it is near, moves nothing, plays as said and leaves nothing behind. */
import { behaves, check, drawn, heard, open, post, posted, SHOWN } from "./browser.mjs";

/**
 * @typedef {import("./browser.mjs").Check} Check
 * @typedef {import("./browser.mjs").Page} Page
 * @typedef {import("./browser.mjs").Place} Place
 */

/** @param {Page} page */
const picture = (page) => page.locator("img.media-picture");

/** How reads are answered from now on. @param {Page} page @param {string} mode */
const answer = (page, mode) =>
  page.evaluate((wanted) => Object.assign(Reflect.get(globalThis, "gallery"), { media: wanted }), mode);

/** Shows a conversation without media. @param {Page} page */
async function leave(page) {
  const conversation = await page.evaluate(() =>
    Reflect.get(globalThis, "gallery").conversation({ id: "21111111-2222-4333-8444-555555555555", turns: [] }),
  );
  await post(page, { kind: "conversation", conversation });
  await page.locator(".media").first().waitFor({ state: "detached" });
}

/** @param {Page} page @param {string} selector */
const boxOf = async (page, selector) => JSON.stringify(await page.locator(selector).boundingBox());

/** Nothing below a picture moves, whatever becomes of it. @param {Page} page */
async function movesNothing(page) {
  await page.getByText("not available any more").waitFor();
  const before = [await boxOf(page, ".media-stage"), await boxOf(page, ".answer-actions")];
  await answer(page, "well");
  await page.getByRole("button", { name: "Try again" }).click();
  await picture(page).waitFor();
  await page.waitForFunction(() => document.querySelector("img.media-picture")?.getAttribute("src") !== null);
  await drawn(page);
  const after = [await boxOf(page, ".media-stage"), await boxOf(page, ".answer-actions")];
  check(before.join() === after.join(), `${before.join()} became ${after.join()}`);
}

/** Every object URL is revoked when its row leaves. @param {Place} place */
async function revokesAll(place) {
  await place.context.addInitScript(() => {
    /** @type {string[]} */
    const living = [];
    const make = URL.createObjectURL.bind(URL);
    const revoke = URL.revokeObjectURL.bind(URL);
    URL.createObjectURL = (file) => {
      const url = make(file);
      living.push(url);
      return url;
    };
    URL.revokeObjectURL = (url) => {
      living.splice(living.indexOf(url), 1);
      revoke(url);
    };
    Object.assign(globalThis, { living });
  });
  const { page, problems } = await open(place, { scene: "media-several", height: 2400 });
  await page.locator("video").waitFor();
  await page.waitForFunction(() => document.querySelectorAll("img.media-picture").length === 2);
  /** @returns {Promise<number>} */
  const living = () => page.evaluate(() => Reflect.get(globalThis, "living").length);
  check((await living()) >= 3, "files are shown");
  await leave(page);
  await page.waitForFunction(() => Reflect.get(globalThis, "living").length === 0);
  check(problems.length === 0, problems.join("; "));
}

/** @param {Page} page */
async function asksOnlyNear(page) {
  await page.getByText("not available any more").waitFor();
  const { media, long } = await page.evaluate(() => {
    const gallery = Reflect.get(globalThis, "gallery");
    const text = "A paragraph of an answer that is long.\n\n".repeat(80);
    const [shown] = gallery.scene.events[2].conversation.turns;
    return { media: { ...shown, id: "c-8" }, long: gallery.turn({ id: "c-9", text }) };
  });
  await answer(page, "well");
  const asked = (await posted(page, "media")).length;
  const conversation = await page.evaluate(
    ([first, second]) => Reflect.get(globalThis, "gallery").conversation({ id: "far", turns: [first, second] }),
    [media, long],
  );
  await post(page, { kind: "conversation", conversation });
  await page.locator("[data-turn=c-9]").waitFor();
  await drawn(page);
  await drawn(page);
  check((await posted(page, "media")).length === asked, "nothing is asked for what is far away");
  await page.locator(".transcript").evaluate((element) => element.scrollTo(0, 0));
  await picture(page).waitFor();
}

/** @param {Page} page */
async function showsProgress(page) {
  const bar = page.getByRole("progressbar");
  await bar.waitFor();
  await page.waitForFunction(
    () => document.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow") === "262144",
  );
  check((await bar.getAttribute("aria-valuetext"))?.startsWith("256 KB of") === true, "it says so in words");
  const asked = await posted(page, "media");
  check(asked.map((read) => read["offset"]).join() === "0,262144", "the next part is asked where the last one ended");
  await leave(page);
  await answer(page, "well");
  await drawn(page);
  check((await posted(page, "media")).length === asked.length, "a row that left asks for nothing");
}

/** @param {Page} page */
async function opensLarge(page) {
  await picture(page).waitFor();
  await page.locator(".media-open").click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  const width = () => dialog.locator("img").evaluate((image) => image.getBoundingClientRect().width);
  check((await width()) <= 380, "it fits");
  await page.getByRole("button", { name: "100 %" }).click();
  check((await width()) === 1280, `${await width()} px is its own size`);
  const turn = await page.evaluate(() =>
    Reflect.get(globalThis, "gallery").turn({ id: "c-2", state: "running", text: "" }),
  );
  await post(page, { kind: "turn", key: SHOWN, turn });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  check((await posted(page, "stop")).length === 0, "closing it stops no answer");
  check(
    await page.locator(".media-open").evaluate((button) => button === document.activeElement),
    "the focus is back on the picture",
  );
}

/** @param {Page} page */
const source = (page) => picture(page).getAttribute("src");

/** @param {Page} page */
async function playsPictures(page) {
  await picture(page).waitFor();
  const slider = page.getByRole("slider", { name: "Position" });
  check((await slider.getAttribute("aria-valuetext")) === "1 of 5", "it begins at its beginning");
  const first = await source(page);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(
    (before) => document.querySelector("img.media-picture")?.getAttribute("src") !== before,
    first,
  );
  await page.getByRole("button", { name: "Pause" }).click();
  await slider.press("End");
  check((await slider.getAttribute("aria-valuetext")) === "5 of 5", "the end");
  await slider.press("ArrowLeft");
  check((await slider.getAttribute("aria-valuetext")) === "4 of 5", "one moment back");
  await page.waitForFunction(
    (before) => document.querySelector("img.media-picture")?.getAttribute("src") !== before,
    first,
  );
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(
    () => document.querySelector("input[type=range]")?.getAttribute("aria-valuetext") === "1 of 5",
  );
}

/** An answer that grows draws its rows again for each piece of text. @param {Page} page */
async function playsOnWhileTextComes(page) {
  await picture(page).waitFor();
  const turn = await page.evaluate(() => {
    const gallery = Reflect.get(globalThis, "gallery");
    const [media] = gallery.scene.events[2].conversation.turns[0].media;
    return gallery.turn({ id: "c-2", state: "running", text: "", media: [media] });
  });
  await post(page, { kind: "turn", key: SHOWN, turn });
  const row = page.locator("[data-turn=c-2]");
  await row.locator("img.media-picture").waitFor();
  await row.getByRole("button", { name: "Play" }).click();
  await page.evaluate((key) => {
    const gallery = Reflect.get(globalThis, "gallery");
    let at = 0;
    const grow = () => {
      gallery.post({ kind: "delta", key, turn: "c-2", at, text: "word " });
      at += 5;
      if (at < 5000) requestAnimationFrame(grow);
    };
    grow();
  }, SHOWN);
  await page.waitForFunction(
    () => document.querySelector("[data-turn=c-2] input[type=range]")?.getAttribute("aria-valuetext") === "3 of 5",
  );
  check(((await row.locator(".markdown").textContent()) ?? "").length < 5000, "the text was still growing");
}

/** @param {Place} place */
async function standsStill(place) {
  const { page, problems } = await open(place, { scene: "media-animation" });
  await picture(page).waitFor();
  check((await picture(page).evaluate((element) => element.tagName)) === "IMG", "it moves by itself");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator("canvas.media-picture").waitFor();
  const calm = await place.context.newPage();
  await calm.emulateMedia({ reducedMotion: "reduce" });
  await calm.goto(`${place.origin}/?scene=media-animation`);
  await calm.locator("canvas.media-picture").waitFor();
  check((await picture(calm).count()) === 0, "with reduced motion nothing moves");
  await calm.getByRole("button", { name: "Play" }).click();
  await picture(calm).waitFor();
  check(problems.length === 0, problems.join("; "));
}

/** @param {Page} page */
async function playsVideo(page) {
  const video = page.locator("video");
  await video.waitFor();
  await page.waitForFunction(() => {
    const element = document.querySelector("video");
    return element instanceof HTMLVideoElement && element.readyState >= 2;
  });
  const seen = await video.evaluate((element) => {
    if (!(element instanceof HTMLVideoElement)) return "";
    const { muted, controls, paused, autoplay, loop, src } = element;
    return JSON.stringify({ muted, controls, paused, autoplay, loop, blob: src.startsWith("blob:") });
  });
  check(
    seen === JSON.stringify({ muted: true, controls: true, paused: true, autoplay: false, loop: false, blob: true }),
    seen,
  );
}

/** @param {Page} page */
async function savesFile(page) {
  await picture(page).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save: List of load balancers" }).click(),
  ]);
  check(download.suggestedFilename() === "load-balancers.png", download.suggestedFilename());
}

/** @param {Page} page */
async function comesBack(page) {
  await page.getByText("not available any more").waitFor();
  await answer(page, "lost");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Sidewire did not answer").waitFor();
  await post(page, { kind: "link", link: { state: "connecting" } });
  await drawn(page);
  await answer(page, "well");
  const link = await page.evaluate(() => Reflect.get(globalThis, "gallery").ready);
  await post(page, { kind: "link", link });
  await picture(page).waitFor();
}

/** @param {Page} page */
async function showsNoMarkup(page) {
  await page.getByRole("slider", { name: "Position" }).press("ArrowRight");
  await page.getByText("<b>not bold</b> [U+202E]turned").waitFor();
  check((await page.locator(".media b").count()) === 0, "no markup");
}

/** @param {Page} page */
async function refusesUnknown(page) {
  await heard(page, "media", 1);
  const turn = await page.evaluate(() => {
    const gallery = Reflect.get(globalThis, "gallery");
    const [media] = gallery.scene.events[2].conversation.turns[0].media;
    const svg = { ...media, original: { ...media.original, mimeType: "image/svg+xml" } };
    return gallery.turn({ id: "c-2", text: "No picture.", media: [svg, { html: "<img>" }] });
  });
  await post(page, { kind: "turn", key: SHOWN, turn });
  await page.getByText("No picture.").waitFor();
  check((await page.locator("[data-turn=c-2] .media").count()) === 0, "it is not shown");
}

/** All checks. @type {Check[]} */
export const media = [
  behaves("media: nothing moves when it fails or comes", "media-failed", movesNothing),
  { name: "media: every object URL is revoked", run: revokesAll },
  behaves("media: it is asked for when it is near", "media-failed", asksOnlyNear),
  behaves("media: progress is shown, and ends with the row", "media-loading", showsProgress),
  behaves("media: a picture opens large and escape only closes it", "media-image", opensLarge),
  behaves("media: a series of pictures plays and steps", "media-raster", playsPictures),
  behaves("media: a series of pictures plays on while text comes", "media-raster", playsOnWhileTextComes),
  { name: "media: an animation can be stopped, and rests with reduced motion", run: standsStill },
  behaves("media: a video is silent and waits", "media-video", playsVideo),
  behaves("media: a file is saved under its name", "media-image", savesFile),
  behaves("media: what could not be reached comes with the connection", "media-failed", comesBack),
  behaves("media: text is text", "media-text", showsNoMarkup),
  behaves("media: what the contract does not know is not shown", "media-image", refusesUnknown),
];
