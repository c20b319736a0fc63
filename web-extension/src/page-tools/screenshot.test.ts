import { beforeEach, describe, expect, it, vi } from "vitest";
import { fitted } from "./screenshot";
import { stage, useStage } from "./testing/stage";

useStage();

describe("page_screenshot", () => {
  it("gives a picture of the page in front and its size", async () => {
    const id = stage.call("page_screenshot");
    expect(await stage.result(id)).toBe("image|the visible part of the page, 800 × 600 pixels");
    expect(stage.results(id)[0]?.result.content[0]).toEqual({ type: "image", data: "AAAA", mimeType: "image/png" });
  });

  it("says how to allow it when the browser refuses", async () => {
    stage.browser.tabs.captureVisibleTab = async () => {
      throw new Error("Either the '<all_urls>' or 'activeTab' permission is required.");
    };
    expect(await stage.run("page_screenshot")).toMatch(/^! screenshot-not-allowed: .*toolbar/);
    stage.browser.tabs.captureVisibleTab = async () => {
      throw new Error("This request exceeds the MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND quota.");
    };
    expect(await stage.run("page_screenshot")).toMatch(/^! failed: /);
  });

  it("40a6cb2 (wrong tab): never pictures another tab, before or meanwhile", async () => {
    const [tab] = stage.browser.tabList;
    const other = { id: 8, windowId: 1, active: true, url: "https://bank.example/" };
    stage.browser.tabList = [{ ...Object(tab), active: false }, other];
    expect(await stage.run("page_screenshot")).toMatch(/^! not-in-front: /);
    expect(stage.browser.pictures).toBe(0);
    stage.browser.tabList = [Object(tab)];
    stage.browser.tabs.captureVisibleTab = async () => {
      stage.browser.tabList = [{ ...Object(tab), active: false }, other];
      return "data:image/png;base64,AAAA";
    };
    expect(await stage.run("page_screenshot")).toMatch(/^! not-in-front: /);
  });

  it("never pictures another window's tab, which the page's tab has left meanwhile", async () => {
    const [tab] = stage.browser.tabList;
    stage.cover = () => {
      stage.browser.tabList = [{ ...Object(tab), windowId: 2 }];
      return { ok: true, covered: 0, steady: true };
    };
    expect(await stage.run("page_screenshot")).toMatch(/^! not-in-front: /);
    expect(stage.browser.pictures).toBe(0);
  });

  it("N26: takes none while a part of the page is forbidden, or cannot be looked at", async () => {
    stage.frames = [
      ...stage.frames,
      { id: 3, url: "https://pay.example/", origin: "https://pay.example", focused: false },
    ];
    stage.policy.blockedUrlPatterns = ["*://pay.example/*"];
    expect(await stage.run("page_screenshot")).toMatch(/^! blocked-by-policy: /);
    stage.policy.blockedUrlPatterns = ["*://bank.example/*"];
    expect(await stage.run("page_screenshot")).toMatch(/^image/);
    stage.unreadable = 1;
    expect(await stage.run("page_screenshot")).toMatch(/^! blocked-by-policy: /);
    expect(stage.browser.pictures).toBe(1);
  });

  it("8b79892 (screenshots froze the service worker): takes at most two pictures a second, the rest in line", async () => {
    const ids = Array.from({ length: 4 }, () => stage.call("page_screenshot"));
    await vi.advanceTimersByTimeAsync(950);
    expect(stage.browser.pictures).toBeLessThanOrEqual(2);
    await vi.advanceTimersByTimeAsync(2_000);
    for (const id of ids) expect(await stage.result(id)).toMatch(/^image/);
    expect(stage.browser.pictures).toBe(4);
  });
});

describe("secrets in a picture", () => {
  const covers = (covered: number, steady: boolean) => ({ ok: true, covered, steady });
  const ended = () => stage.told.some(({ kind }) => kind === "sidewire-tool-end");

  beforeEach(() => {
    stage.frames = [
      ...stage.frames,
      { id: 3, url: "https://pay.example/", origin: "https://pay.example", focused: false },
    ];
  });

  it("are covered in every frame before it, still are after it, and it says at how many places", async () => {
    const asked: number[] = [];
    stage.cover = (frame) => {
      asked.push(frame);
      expect(stage.browser.pictures).toBe(asked.length > 2 ? 1 : 0);
      return covers(frame === 3 ? 2 : 0, frame === 0 || asked.length > 2);
    };
    expect(await stage.run("page_screenshot")).toMatch(/600 pixels; secrets are covered at 2 places$/);
    expect(asked).toEqual([0, 3, 0, 3]);
    expect(ended()).toBe(true);
  });

  it.each([
    ["says that it could not", { ok: false, code: "failed", detail: "the page did not draw in time" }, /did not draw/],
    ["says nothing that can be understood", { covered: 0 }, /not answer in time/],
    ["is gone", undefined, /not answer in time/],
    ["does not answer", new Promise(() => undefined), /not answer in time/],
  ])("no picture is taken when a frame %s", async (_, answer, reason) => {
    stage.cover = (frame) => (frame === 3 ? answer : covers(0, true));
    const id = stage.call("page_screenshot");
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await stage.result(id)).toMatch(/^! failed: .*secrets on the page could not be covered/);
    expect(await stage.result(id)).toMatch(reason);
    expect(stage.browser.pictures).toBe(0);
    expect(ended()).toBe(true);
  });

  it("a page that moves is pictured again, and not for ever", async () => {
    let asked = 0;
    stage.cover = () => {
      asked += 1;
      return covers(1, asked > 6);
    };
    const id = stage.call("page_screenshot");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await stage.result(id)).toMatch(/2 places$/);
    expect(stage.browser.pictures).toBe(2);
    stage.cover = () => covers(1, false);
    const other = stage.call("page_screenshot");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await stage.result(other)).toMatch(/^! failed: .*keeps moving/);
  });

  it("are uncovered when the call is cancelled", async () => {
    stage.cover = () => new Promise(() => undefined);
    const id = stage.call("page_screenshot");
    await vi.advanceTimersByTimeAsync(10);
    stage.tools.frame({ type: "host_tool_cancel", id: "x", targetId: id });
    await vi.waitFor(() => expect(ended()).toBe(true));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(stage.browser.pictures).toBe(0);
  });
});

describe("the size of a picture", () => {
  it.each([
    [3024, 1964, 1568, { width: 1568, height: 1018 }],
    [800, 600, 1568, { width: 800, height: 600 }],
    [1964, 3024, 1568, { width: 1018, height: 1568 }],
    [100_000, 1, 1568, { width: 1568, height: 1 }],
    [1568, 1568, 1568, { width: 1568, height: 1568 }],
  ])("%d × %d within %d", (width, height, edge, size) => expect(fitted(width, height, edge)).toEqual(size));
});
