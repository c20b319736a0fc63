/** How calls end that are cut short: by Stop in the panel or in the page, with the service worker, or with the extension. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type Browser, EXTENSION_URL } from "../harness/browser";
import { EXTENSION } from "../harness/paths";
import { SidePanel } from "../harness/side-panel";
import { test } from "../harness/stage";
import { until, untilEqual } from "../harness/until";
import { type Beside, beside, isFormOpen } from "../page-tools/beside";
import { servePages } from "../page-tools/site";

const CARD = "document.querySelector('[data-consent]')";
const CLICK_EDIT = { name: "page_click", arguments: { role: "button", name: "Edit" } };
const WAIT = { name: "wait_for", arguments: { text: "Never", timeoutMs: 30_000 } };

test("Stop in the panel ends a call that runs, at once and for good", async ({ set }) => {
  const all = await beside(await set({ sites: [await servePages()] }), "Configure");
  await clickWhatMoves(all);
  await all.panel.press("Stop");
  await all.panel.shows("Stopped.");
  await nothingHappensLater(all);
});

test("Stop in the page's badge does the same", async ({ set }) => {
  const all = await beside(await set({ sites: [await servePages()], ownSize: true }), "Configure");
  await clickWhatMoves(all);
  const width = await all.page.evaluate(() => innerWidth);
  await all.page.mouse.click(width - 40, 30);
  await all.panel.shows("Stopped.");
  await nothingHappensLater(all);
});

test("a service worker that dies while a card is open ends the call with an error, and the turn goes on", async ({
  set,
}) => {
  const { stage, page, panel } = await beside(await set({ sites: [await servePages()] }), "Configure");
  await panel.ask("Open the form.");
  (await stage.model.call()).use(CLICK_EDIT);
  await panel.waits("a card", `${CARD} !== null`);
  await stopServiceWorker(page);
  const told = await stage.model.call();
  expect(told.results.join("\n")).toMatch(/browser|connection|disconnect/i);
  await panel.waits("no card", `${CARD} === null`);
  told.say("I could not ask you.");
  await panel.shows("I could not ask you.");
  expect(await isFormOpen(page)).toBe(false);
});

test("one that dies while a call runs ends it likewise, and nothing acts afterwards", async ({ set }) => {
  const all = await beside(await set({ sites: [await servePages()] }), "Configure");
  const { stage, page, panel } = all;
  await clickWhatMoves(all);
  await stopServiceWorker(page);
  const told = await stage.model.call();
  expect(told.results.join("\n")).toMatch(/browser|connection|disconnect/i);
  told.use(WAIT);
  // The next call finds a service worker again; its own end by the person is what the turn ends with.
  await panel.press("Stop");
  await panel.shows("Stopped.");
  await nothingHappensLater(all);
});

test("after the extension was loaded anew, an open page is read and acted on without being loaded anew itself", async ({
  set,
}) => {
  const { stage, browser, page, panel } = await beside(await set({ sites: [await servePages()] }), "Configure");
  await panel.ask("What is this?");
  (await stage.model.call()).say("A load balancer.");
  await panel.shows("A load balancer.");
  await page.evaluate(() => Reflect.set(window, "sameDocument", true));
  const copies = await copiesIn(page);
  await reloadExtension(browser);
  const reopened = await SidePanel.open(browser, page);
  await reopened.shows("lb1");
  await reopened.beginAnew();
  await reopened.choose("Configure");
  await reopened.ask("Open the form.");
  const read = await stage.model.call();
  expect(read.question).toContain("Serves www.example.com");
  read.use(CLICK_EDIT);
  await reopened.press("Once");
  (await stage.model.call()).say("Done.");
  await reopened.shows("Done.");
  expect(await isFormOpen(page)).toBe(true);
  expect(await page.evaluate(() => Reflect.get(window, "sameDocument"))).toBe(true);
  // The next message of the hook ends the copy that was left behind, so that it keeps none from the new one.
  await page.evaluate(() => postMessage("anything", "*"));
  await untilEqual("the copies that listen", "ended, listens", copies);
});

/** Has a click allowed whose target never holds still, so that it runs until it is ended. */
async function clickWhatMoves({ stage, page, panel }: Beside): Promise<void> {
  await page.addStyleTag({
    content: "@keyframes away { to { translate: 300px 0 } } .moves { animation: away 1s infinite alternate linear }",
  });
  await page.evaluate(() => document.getElementById("edit")?.classList.add("moves"));
  await panel.ask("Open the form.");
  (await stage.model.call()).use(CLICK_EDIT);
  await panel.press("Once");
  await untilEqual("something drawn over the page", 1, () => drawings(page));
  await panel.waits("no card", `${CARD} === null`);
}

/** The target holds still at last, and is not clicked; nothing is left on the page. */
async function nothingHappensLater({ page }: Beside): Promise<void> {
  await untilEqual("nothing drawn over the page", 0, () => drawings(page));
  await page.evaluate(() => document.getElementById("edit")?.classList.remove("moves"));
  await page.evaluate(async () => {
    for (let frames = 0; frames < 60; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
  expect(await isFormOpen(page)).toBe(false);
}

function drawings(page: Page): Promise<number> {
  return page.locator("html > [popover]").count();
}

/** What has become of each content script of ours in a page, the oldest first; from now on, new ones are noticed. */
async function copiesIn(page: Page): Promise<() => Promise<string>> {
  const session = await page.context().newCDPSession(page);
  const worlds: number[] = [];
  session.on("Runtime.executionContextCreated", ({ context }) => {
    if (context.origin.startsWith(EXTENSION_URL)) worlds.push(context.id);
  });
  await session.send("Runtime.enable");
  const expression = "sidewireCapture.signal.aborted ? 'ended' : 'listens'";
  return async () => {
    const answers = worlds.map((contextId) => session.send("Runtime.evaluate", { contextId, expression }));
    return (await Promise.all(answers)).map(({ result }) => String(result.value)).join(", ");
  };
}

/** Ends the extension's service worker, as the browser may do at any time. */
async function stopServiceWorker(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.stopAllWorkers");
  await session.detach();
}

/** Loads the extension anew, as an update does. */
async function reloadExtension(browser: Browser): Promise<void> {
  const session = await browser.session();
  const workers = async (): Promise<string[]> => {
    const { targetInfos } = await session.send("Target.getTargets");
    const ours = targetInfos.filter(({ type, url }) => type === "service_worker" && url.startsWith(EXTENSION_URL));
    return ours.map(({ targetId }) => targetId);
  };
  const before = await workers();
  await session.send("Extensions.loadUnpacked", { path: EXTENSION });
  await until("another service worker", async () => {
    const now = await workers();
    return now.some((id) => !before.includes(id)) || undefined;
  });
}
