import { describe, expect, it, vi } from "vitest";
import { createCaptureTab, pageStateOf } from "./capture";
import { isRestricted } from "./restricted";
import type { TabAccess } from "./tab-access";

const URL = "https://acme.example/web/lb1";
type Asked = Parameters<TabAccess["ask"]>[1];

function reply(ask: Asked, change: Record<string, unknown> = {}) {
  const token = "token" in ask ? ask.token : "";
  const tree = { nodes: [{ role: "WebArea", name: "lb1" }], parents: [-1], weights: [1] };
  const rest = { path: [], url: URL, title: "lb1", viewer: false, tree, frames: [], seen: 1, cut: false, api: null };
  return { kind: "sidewire-frame", token, ...rest, ...change };
}

/** A tab whose content script is there and answers. */
function scripted(change: Partial<TabAccess> = {}): TabAccess {
  return {
    facts: async () => ({ url: URL }),
    ask: async (_, ask) => reply(ask),
    broadcast: () => undefined,
    inject: async () => true,
    listen: () => undefined,
    isGranted: async () => false,
    ...change,
  };
}

const LIMITS = { total: 400, frames: 80 };
const capture = (change: Partial<TabAccess> = {}) => createCaptureTab(scripted(change), undefined, LIMITS)(7);

describe("captureTab", () => {
  it("takes a snapshot of the tab it was asked for", async () => {
    const result = await capture();
    expect(result).toMatchObject({ ok: true, capture: { snapshot: { v: 1, tabId: 7, url: URL, title: "lb1" } } });
  });

  const faults: [string, Partial<TabAccess>][] = [
    ["no-tab", { facts: async () => null }],
    ["needs-permission", { facts: async () => ({}) }],
    ["restricted-page", { facts: async () => ({ url: "chrome://settings" }) }],
    ["restricted-page", { ask: async (_: number, ask: Asked) => reply(ask, { viewer: true }) }],
    ["needs-permission", { ask: async () => Promise.reject(new Error("nobody")), inject: async () => false }],
    [
      "capture-failed",
      { ask: async () => Promise.reject(new Error("nobody")), inject: async () => false, isGranted: async () => true },
    ],
    ["capture-failed", { ask: async () => Promise.reject(new Error("nobody")) }],
    ["capture-failed", { ask: () => new Promise(() => undefined) }],
    ["needs-permission", { ask: async () => ({ kind: "forged" }) }],
  ];
  it.each(faults)("%s", async (fault, change) => expect(await capture(change)).toEqual({ ok: false, fault }));

  it("injects the content script once and asks again", async () => {
    const inject = vi.fn(async () => true);
    const ask = vi.fn(async (_: number, asked: Asked) => {
      if (inject.mock.calls.length === 0) throw new Error("nobody");
      return reply(asked);
    });
    expect(await capture({ ask, inject })).toMatchObject({ ok: true });
    expect(inject.mock.calls).toEqual([[7, "main"]]);
  });

  it("N1: reads once more when the tab navigates meanwhile, and then gives up", async () => {
    let page = 0;
    const facts = async () => ({ url: `${URL}?${Math.min(page, 2)}` });
    const ask = async (_: number, asked: Asked) => {
      page += 1;
      return reply(asked, { url: page < 2 ? URL : `${URL}?2` });
    };
    expect(await capture({ facts, ask })).toMatchObject({ ok: true });
    const moving = { ask: async (_: number, asked: Asked) => reply(asked, { url: `${URL}/other` }) };
    expect(await capture(moving)).toEqual({ ok: false, fault: "capture-failed" });
  });

  it("does not mind a new fragment", async () => {
    expect(await capture({ ask: async (_, ask) => reply(ask, { url: `${URL}#part` }) })).toMatchObject({ ok: true });
  });

  it("N26: takes nothing of what is not allowed, neither the page nor a frame in it", async () => {
    const isAllowed = async () => (url: { host: string }) => url.host === "acme.example";
    const frames = [
      { node: 1, position: 0, url: "https://pay.example/" },
      { node: 2, position: 1, url: "about:blank" },
    ];
    const tree = {
      nodes: [{ role: "WebArea" }, { role: "iframe" }, { role: "iframe" }],
      parents: [-1, 0, 0],
      weights: [3, 2, 2],
    };
    let hear: Parameters<TabAccess["listen"]>[1] | undefined;
    const tabs = scripted({
      isGranted: async () => true,
      ask: async (_, ask) => reply(ask, { frames, tree }),
      listen: (_, onMessage) => {
        hear = onMessage;
      },
      broadcast: (_, ask) => {
        const origin = "https://pay.example";
        hear?.(reply(ask, { path: [0], url: "https://pay.example/" }), { frameId: 4, origin });
        hear?.(reply(ask, { path: [1], url: "about:blank" }), { frameId: 5, origin });
      },
    });
    const taken = await createCaptureTab(tabs, isAllowed, LIMITS)(7);
    expect(taken).toMatchObject({ ok: true, capture: { report: { frames: 1, framesUnreadable: 2 } } });
    const none = createCaptureTab(tabs, async () => () => false, LIMITS);
    expect(await none(7)).toEqual({ ok: false, fault: "blocked-by-policy" });
  });

  it("gives a browser that is slow to say what is allowed its own time", async () => {
    vi.useFakeTimers();
    const slowly = () => new Promise<() => boolean>((resolve) => setTimeout(() => resolve(() => true), 2_000));
    const taken = createCaptureTab(scripted(), slowly, LIMITS)(7);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await taken).toMatchObject({ ok: true });
    vi.useRealTimers();
  });

  it("takes the frames that answer and counts those that do not", async () => {
    const frames = [0, 1].map((position) => ({ node: position + 1, position, url: "about:blank" }));
    const tree = {
      nodes: [{ role: "WebArea" }, { role: "iframe" }, { role: "iframe" }],
      parents: [-1, 0, 0],
      weights: [3, 2, 2],
    };
    let hear: Parameters<TabAccess["listen"]>[1] | undefined;
    const inject = vi.fn(async () => true);
    const result = await capture({
      inject,
      ask: async (_, ask) => reply(ask, { frames, tree }),
      listen: (_, onMessage, signal) => {
        hear = onMessage;
        signal.addEventListener("abort", () => {
          hear = undefined;
        });
      },
      broadcast: (_, ask) => {
        // S27: it says it is of this site, and the browser says it is not.
        hear?.(reply(ask, { path: [0], title: "forged" }), { frameId: 4, origin: "https://evil.example" });
        hear?.(reply(ask, { path: [1], title: "inner" }), { frameId: 5, origin: "https://acme.example" });
      },
    });
    expect(result).toMatchObject({ ok: true, capture: { report: { frames: 2, framesUnreadable: 1 } } });
    expect(inject.mock.calls).toEqual([[7, "all"]]);
    expect(hear).toBeUndefined();
  });
});

describe("pageStateOf", () => {
  const state = (hooked: boolean, captured: boolean) => async () => ({
    kind: "sidewire-page-state",
    hooked,
    captured,
    selection: true,
  });
  const silent = { ask: async () => Promise.reject(new Error("nobody")) };
  it.each([
    ["captured", { ask: state(true, true) }],
    ["none", { ask: state(true, false) }],
    ["needs-reload", { ask: state(false, false), isGranted: async () => true }],
    ["needs-grant", { ask: state(false, false) }],
  ] as const)("%s", async (api, change) =>
    expect(await pageStateOf(7, scripted(change))).toEqual({ api, selection: true }),
  );

  it("says nothing of a selection where nobody answers", async () =>
    expect(await pageStateOf(7, scripted(silent))).toEqual({ api: "needs-grant" }));
});

it.each([
  "chrome://newtab",
  "about:blank",
  "view-source:https://a.example/",
  "file:///a.html",
  "https://chromewebstore.google.com/detail/x",
  "https://chrome.google.com/webstore/x",
  "https://addons.mozilla.org/",
  "https://a.example/doc.PDF",
  "devtools://x",
])("%s is restricted", (url) => expect(isRestricted(url)).toBe(true));

it.each(["https://a.example/", "http://127.0.0.1/x", "https://a.example/?f=x.pdf"])("%s is not", (url) =>
  expect(isRestricted(url)).toBe(false),
);
