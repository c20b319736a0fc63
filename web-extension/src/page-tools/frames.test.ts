import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeChrome } from "../shared/testing/fake-chrome";
import { browserFrames } from "./frames";

const END = { kind: "sidewire-tool-end", call: "1" } as const;
let browser: FakeChrome;

beforeEach(() => {
  browser = new FakeChrome();
  vi.stubGlobal("chrome", browser);
});

const facts = (frameId: number, url: string) => ({
  frameId,
  result: { url, origin: new URL(url).origin, path: frameId === 0 ? "" : `${frameId}`, focus: null },
});

describe("the frames of a tab", () => {
  it("are those the browser lets us into, the main one first", async () => {
    browser.inject = async () => [
      facts(5, "https://b.example/"),
      facts(0, "https://a.example/"),
      { frameId: 6, result: null },
    ];
    expect((await browserFrames.list(7)).map(({ id, origin }) => [id, origin])).toEqual([
      [0, "https://a.example"],
      [5, "https://b.example"],
    ]);
  });

  const focusing = (frames: [id: number, path: string, focus: number | null][]) => {
    browser.inject = async () =>
      frames.map(([frameId, path, focus]) => ({
        frameId,
        result: { url: "https://a.example/", origin: "https://a.example", path, focus },
      }));
    return browserFrames.list(7).then((list) => list.filter(({ focused }) => focused).map(({ id }) => id));
  };

  it.each<[string, [number, string, number | null][], number[]]>([
    [
      "the main one",
      [
        [0, "", null],
        [5, "0", null],
      ],
      [0],
    ],
    [
      "one below another",
      [
        [0, "", 1],
        [5, "0", null],
        [6, "1", 0],
        [7, "1/0", null],
      ],
      [7],
    ],
    [
      "none, where the focus is in one that we may not read",
      [
        [0, "", 1],
        [5, "0", null],
      ],
      [],
    ],
    [
      "none, where it cannot be told",
      [
        [0, "", -1],
        [5, "0", null],
      ],
      [],
    ],
  ])("the focus is in %s", async (_, frames, focused) => expect(await focusing(frames)).toEqual(focused));

  it("where none may be missing, one that hangs fails the whole", async () => {
    vi.useFakeTimers();
    browser.inject = () => new Promise(() => undefined);
    const list = browserFrames.all(7);
    const refused = expect(list).rejects.toMatchObject({ code: "unreadable-page" });
    await vi.advanceTimersByTimeAsync(2_000);
    await refused;
    vi.useRealTimers();
  });

  it("one that hangs does not hide the main one", async () => {
    vi.useFakeTimers();
    browser.inject = ({ target }) =>
      target.allFrames === true ? new Promise(() => undefined) : Promise.resolve([facts(0, "https://a.example/")]);
    const list = browserFrames.list(7);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await list).toHaveLength(1);
    vi.useRealTimers();
  });

  it("cannot be listed where the browser refuses", async () => {
    await expect(browserFrames.list(7)).rejects.toMatchObject({ code: "unreadable-page" });
  });

  it("are bounded", async () => {
    browser.inject = async () => Array.from({ length: 500 }, (_, id) => facts(id, "https://a.example/"));
    expect(await browserFrames.list(7)).toHaveLength(64);
  });
});

describe("asking a frame", () => {
  it("puts the content script there when nobody is there yet, and asks once more", async () => {
    const injected: unknown[] = [];
    browser.inject = async ({ target, files }) => {
      injected.push({ target, files });
      browser.contentScript = async () => "answer";
      return [];
    };
    expect(await browserFrames.ask(7, 3, END)).toBe("answer");
    expect(injected).toEqual([{ target: { tabId: 7, frameIds: [3] }, files: ["content-scripts/capture.js"] }]);
    expect(browser.told).toHaveLength(2);
  });

  it("does not ask any more when the call has ended meanwhile", async () => {
    const life = new AbortController();
    browser.inject = async () => {
      life.abort();
      browser.contentScript = async () => "answer";
      return [];
    };
    expect(await browserFrames.ask(7, 3, END, life.signal)).toBeUndefined();
    expect(browser.told).toHaveLength(1);
  });

  it("does not ask twice when the frame went away while it worked", async () => {
    browser.contentScript = async () => {
      throw new Error("A listener indicated an asynchronous response, but the message channel closed.");
    };
    browser.inject = async () => [];
    expect(await browserFrames.ask(7, 3, END)).toBeUndefined();
    expect(browser.told).toHaveLength(1);
  });

  it("gives nothing where the browser lets us put nothing", async () => {
    expect(await browserFrames.ask(7, 3, END)).toBeUndefined();
  });
});
