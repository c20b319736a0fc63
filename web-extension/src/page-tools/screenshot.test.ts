import { describe, expect, it, vi } from "vitest";
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

  it("8b79892 (screenshots froze the service worker): takes at most two pictures a second, the rest in line", async () => {
    const ids = Array.from({ length: 4 }, () => stage.call("page_screenshot"));
    await vi.advanceTimersByTimeAsync(950);
    expect(stage.browser.pictures).toBeLessThanOrEqual(2);
    await vi.advanceTimersByTimeAsync(2_000);
    for (const id of ids) expect(await stage.result(id)).toMatch(/^image/);
    expect(stage.browser.pictures).toBe(4);
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
