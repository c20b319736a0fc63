/** What the page side lets happen between the question and the answer, and what it draws over the page meanwhile. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ARTIFACTS } from "../harness/paths";
import { until, untilEqual } from "../harness/until";
import { browser, done, open, refOf, refused, startBrowser } from "../page-tools/stand";

const PICTURES = join(ARTIFACTS, "page-tools");

startBrowser();

describe("consent", () => {
  test("acts only on what the person was asked about (S22)", async () => {
    const { page, tools, run } = await open("plain");
    const args = { role: "button", name: "Save" };
    expect(await tools.target("one", "page_click", args)).toMatchObject({ ok: true, role: "button", name: "Save" });
    // The page swaps the button for another of the same name while the card is open.
    await page.evaluate(() =>
      document.getElementById("save")?.replaceWith(document.getElementById("save")?.cloneNode(true) ?? ""),
    );
    refused(await run("page_click", args, { call: "one", confirmed: true }), "target-changed", /page changed/);
    const ref = await refOf(run, "button", "Ask");
    await tools.target("two", "page_click", { ref });
    // The page renames the very element.
    await page.evaluate(() => Reflect.set(document.getElementById("ask") ?? {}, "textContent", "Delete all"));
    refused(await run("page_click", { ref }, { call: "two", confirmed: true }), "target-changed", /page changed/);
    refused(
      await run("page_click", { ref }, { call: "never-asked", confirmed: true }),
      "target-changed",
      /page changed/,
    );
    await tools.target("three", "page_click", { ref });
    done(await run("page_click", { ref }, { call: "three", confirmed: true }));
    expect(await page.locator("#dialog").isVisible()).toBe(true);
  });

  test("refuses what could not be done before anyone is asked", async () => {
    const { tools } = await open("plain");
    refused(await tools.target("a", "page_fill", { name: "Percent", value: "x" }), "bad-value", /number/);
    refused(await tools.target("b", "page_click", { name: "Reset all" }), "disabled", /group that is disabled/);
    refused(await tools.target("c", "page_fill", { name: "Port" }), "bad-arguments", /"value" is missing/);
    expect(await tools.target("d", "page_eval", {})).toEqual({ ok: false, code: "unknown-tool" });
  });

  test("a page can neither send our messages nor see our objects (N18)", async () => {
    const { page } = await open("plain");
    const seen = await page.evaluate(() => ({
      api: typeof Reflect.get(window, "chrome")?.runtime?.sendMessage,
      ours: typeof Reflect.get(window, "sidewireCapture"),
    }));
    expect(seen).toEqual({ api: "undefined", ours: "undefined" });
    await page.evaluate(() =>
      postMessage({ kind: "sidewire-tool", call: "x", tool: "page_click", arguments: { name: "Ask" } }, "*"),
    );
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    expect(await page.locator("#dialog").isVisible()).toBe(false);
  });

  test("a cancelled call answers once, acts on nothing and leaves nothing", async () => {
    const { tools, run } = await open("plain");
    const waiting = run("wait_for", { text: "Never", timeoutMs: 60_000 }, { call: "long" });
    await until("the call", async () => {
      await tools.end("long");
      const ended = await Promise.race([waiting, new Promise<null>((resolve) => setTimeout(resolve, 50, null))]);
      return ended ?? undefined;
    });
    expect(await waiting).toEqual({ ok: false, code: "cancelled" });
  });
});

describe("drawings", () => {
  const hosts = (page: Page) => page.locator("html > [popover]");

  test("outline, callout and badge lie over the page, take no room and go", async () => {
    const { page, tools, run } = await open("plain");
    const before = await page.locator("#save").boundingBox();
    await tools.target("one", "page_click", { role: "button", name: "Save" });
    await untilEqual("a host", 1, () => hosts(page).count());
    expect(done(await run("annotate", { role: "button", name: "Save", text: "<b>Saves</b> the form" }))).toContain(
      "Shown at",
    );
    await tools.tell({ kind: "sidewire-tool-badge", call: "one", text: "Clicks Save", stop: "Stop" });
    expect(await page.locator("#save").boundingBox()).toEqual(before);
    // The page cannot look inside, and what lies below can still be pressed.
    expect(await hosts(page).evaluate((host) => [host.shadowRoot, host.textContent])).toEqual([null, ""]);
    const text = done(await run("page_text", {}));
    expect(text).not.toMatch(/Sidewire|Saves/);
    await page.locator("#needed").fill("x");
    await page.locator("#save").click();
    expect(await page.locator("#status").textContent()).toBe("Saved port 443");
    await tools.end("one");
    await tools.tell({ kind: "sidewire-tool-clear" });
    await untilEqual("no host", 0, () => hosts(page).count());
  });

  test("is readable in both themes and on any ground", async () => {
    const { page, tools, run } = await open("plain");
    await mkdir(PICTURES, { recursive: true });
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await page.addStyleTag({ content: "html { color-scheme: light dark }" });
      await run("annotate", { name: "Port", text: "Changing the port here moves the listener at once." });
      await tools.target("one", "page_click", { role: "button", name: "Ask" });
      await tools.tell({ kind: "sidewire-tool-badge", call: "one", text: "Working on this page", stop: "Stop" });
      await page.screenshot({ path: join(PICTURES, `annotation-${theme}.png`), animations: "disabled" });
      await tools.end("one");
      await tools.tell({ kind: "sidewire-tool-clear" });
    }
    await untilEqual("no host", 0, () => hosts(page).count());
  });

  test("decoration never fails a turn (578234e: model looped on a failed annotate)", async () => {
    const { page, run } = await open("plain");
    expect(done(await run("annotate", { name: "Nowhere", text: "x" }))).toMatch(/^skipped: nothing on the page/);
    expect(done(await run("highlight", { ref: "kq4711" }))).toMatch(/^skipped: kq4711 is not on the page/);
    expect(done(await run("highlight", { name: "Port", seconds: 1 }))).toContain("for 1 s");
    await page.evaluate(() => document.querySelector("html > [popover]")?.remove());
    await untilEqual("the host again", 1, () => hosts(page).count());
    await untilEqual("no host", 0, () => hosts(page).count());
  });

  test("covers stand still or say so, go with their call, and by themselves when its end never comes", async () => {
    const { page, tools } = await open("secrets");
    const cover = (call: string) => tools.send({ kind: "sidewire-tool-cover", call }, 0);
    expect(await cover("one")).toMatchObject({ ok: true, covered: 6, steady: false });
    expect(await hosts(page).count()).toBe(1);
    expect(await cover("one")).toMatchObject({ ok: true, covered: 6, steady: true });
    await page.evaluate(() => scrollTo(0, 100));
    expect(await cover("one")).toMatchObject({ ok: true, covered: 6, steady: false });
    await tools.end("one");
    await untilEqual("no host", 0, () => hosts(page).count());
    expect(await cover("two")).toMatchObject({ ok: true, steady: false });
    expect(await hosts(page).count()).toBe(1);
    await untilEqual("no host", 0, () => hosts(page).count());
  });

  test("only a person's own press on Stop counts (N20)", async () => {
    const { page, tools } = await open("plain");
    const [worker] = browser.context.serviceWorkers();
    await worker?.evaluate(() => {
      const heard: unknown[] = [];
      Reflect.set(globalThis, "heardStops", heard);
      chrome.runtime.onMessage.addListener((message: unknown) => {
        if (JSON.stringify(message).includes("sidewire-stop")) heard.push(message);
      });
    });
    const stops = async () => worker?.evaluate(() => Reflect.get(globalThis, "heardStops"));
    await tools.tell({ kind: "sidewire-tool-badge", call: "one", text: "Clicks Save", stop: "Stop" });
    await untilEqual("a host", 1, () => hosts(page).count());
    await hosts(page).evaluate((host) =>
      host.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true })),
    );
    expect(await stops()).toEqual([]);
    await page.mouse.click(1280 - 40, 30);
    await until("the stop", async () => ((await stops()) ?? []).length > 0 || undefined);
    expect(await stops()).toEqual([{ kind: "sidewire-stop", call: "one" }]);
  });
});
