import { beforeEach, describe, expect, it, vi } from "vitest";
import type { CaptureResult } from "../capture/api";
import { isChatRequest } from "../contract/validators.generated";
import { FakeChrome } from "../shared/testing/fake-chrome";
import { type Prepared, pinPreview, prepare, TEXT_LIMIT } from "./ask";
import { type Conversation, Conversations } from "./conversations";
import type { PageReader } from "./page";

const URL_A = "https://a.console.ves.volterra.io/web/lb1";
const URL_B = "https://b.console.ves.volterra.io/web/lb1";

let fake: FakeChrome;
let conversation: Conversation;
let captured: (tabId: number) => CaptureResult;

const reader: PageReader = {
  captureTab: async (tabId) => captured(tabId),
  sessionKeyOf: (url) => (url.startsWith("https://") ? `${new URL(url).hostname.split(".")[0]}|production` : null),
  pageStateOf: async () => ({ api: "none" }),
};

function page(tabId: number, url: string, title = "lb1"): CaptureResult {
  const snapshot = {
    v: 1,
    capturedAt: 1,
    tabId,
    url,
    path: "/web/lb1",
    title,
    ax: null,
    api: null,
    truncated: false,
  } as const;
  const counts = { bytes: 9, budget: 65_536, nodesSeen: 1, nodesSent: 1, redacted: [], frames: 1, framesUnreadable: 0 };
  return { ok: true, capture: { snapshot, report: counts, selection: false } };
}

const ask = (text = "?", more: { attachPage?: boolean; previewToken?: string } = {}): Promise<Prepared> =>
  prepare(conversation, { text, mode: "educational", attachPage: true, ...more }, reader);

/** A conversation that has been going on about tenant a. */
function goingOn(): void {
  conversation.sessionKey = "a|production";
  conversation.turns.push({
    id: "c-0",
    prompt: "?",
    mode: "educational",
    startedAt: 1,
    state: "done",
    text: "",
    tools: [],
    references: [],
    media: [],
    notices: [],
  });
}

beforeEach(() => {
  fake = new FakeChrome();
  fake.tabList = [{ id: 7, windowId: 1, active: true, url: URL_A, title: "lb1" }];
  vi.stubGlobal("chrome", fake);
  conversation = new Conversations().create("educational");
  conversation.tabId = 7;
  captured = (tabId) => page(tabId, URL_A);
});

describe("a request", () => {
  it("is what the contract says, about the page as it is now", async () => {
    conversation.id = "11111111-2222-4333-8444-555555555555";
    const prepared = await ask("What is this?");
    expect(prepared).toMatchObject({
      ok: true,
      request: { tabId: 7, sessionKey: "a|production", context: { url: URL_A }, history_hint: conversation.id },
    });
    expect(prepared.ok && isChatRequest(prepared.request)).toBe(true);
  });

  it("carries no page when the person said so, but still names the tenant", async () => {
    captured = () => {
      throw new Error("the page was read");
    };
    const prepared = await ask("?", { attachPage: false });
    expect(prepared).toMatchObject({ ok: true, request: { context: null, sessionKey: "a|production" } });
  });

  it("goes without a page that cannot be read, and remembers why", async () => {
    captured = () => ({ ok: false, fault: "capture-failed" });
    expect(await ask()).toMatchObject({ ok: true, request: { context: null, sessionKey: "a|production" } });
    expect(conversation.unreadable).toEqual({ url: URL_A, fault: "capture-failed" });
  });

  it("has a session key even where there is no page at all", async () => {
    delete conversation.tabId;
    const prepared = await ask("?", { attachPage: false });
    expect(prepared).toMatchObject({ ok: true, request: { tabId: 0, sessionKey: "none" } });
    expect(prepared.ok && isChatRequest(prepared.request)).toBe(true);
  });

  it("holds no lone surrogate, wherever one came from", async () => {
    captured = (tabId) => page(tabId, URL_A, "lb\uD800");
    const prepared = await ask("what\uDC00?");
    expect(prepared).toMatchObject({ request: { text: "what\uFFFD?", context: { title: "lb\uFFFD" } } });
  });

  it("is refused over 256 KiB of UTF-8", async () => {
    for (const [length, ok] of [
      [TEXT_LIMIT - 1, true],
      [TEXT_LIMIT, true],
      [TEXT_LIMIT + 1, false],
    ] as const) {
      const prepared = await ask("x".repeat(length));
      expect(prepared.ok).toBe(ok);
    }
    expect(await ask("é".repeat(TEXT_LIMIT / 2 + 1))).toEqual({ ok: false, reason: "too-long" });
  });
});

describe("N1: another page than the one asked about is never sent", () => {
  it("when the tab went to another tenant", async () => {
    goingOn();
    fake.tabList = [{ id: 7, windowId: 1, active: true, url: URL_B }];
    captured = (tabId) => page(tabId, URL_B);
    expect(await ask()).toEqual({ ok: false, reason: "page-changed" });
  });

  it("when it went there while it was read", async () => {
    captured = (tabId) => page(tabId, URL_B);
    expect(await ask()).toEqual({ ok: false, reason: "page-changed" });
  });

  it("when the snapshot is of another tab", async () => {
    captured = () => page(8, URL_A);
    expect(await ask()).toEqual({ ok: false, reason: "page-changed" });
  });

  it("when the conversation was about another tenant and its turns were not read yet", async () => {
    conversation.id = "11111111-2222-4333-8444-555555555555";
    conversation.sessionKey = "a|production";
    fake.tabList = [{ id: 7, windowId: 1, active: true, url: URL_B }];
    captured = (tabId) => page(tabId, URL_B);
    expect(await ask()).toEqual({ ok: false, reason: "page-changed" });
  });

  it("although a conversation whose tab is gone goes on without a page", async () => {
    goingOn();
    fake.tabList = [];
    expect(await ask()).toMatchObject({ ok: true, request: { context: null, sessionKey: "a|production" } });
  });

  it("although the same tenant's other pages are fine", async () => {
    goingOn();
    const other = URL_A.replace("lb1", "lb2");
    fake.tabList = [{ id: 7, windowId: 1, active: true, url: other }];
    captured = (tabId) => page(tabId, other);
    expect(await ask()).toMatchObject({ ok: true });
  });
});

describe("a preview", () => {
  it("is sent exactly as it was looked at", async () => {
    const preview = await pinPreview(conversation, reader);
    captured = (tabId) => page(tabId, URL_A, "changed since");
    const prepared = await ask("?", { previewToken: preview?.token ?? "" });
    expect(prepared).toMatchObject({ request: { context: preview?.snapshot } });
  });

  it("is good for one question", async () => {
    const preview = await pinPreview(conversation, reader);
    await ask("?", { previewToken: preview?.token ?? "" });
    expect(conversation.preview).toBeUndefined();
  });

  it("is refused once the page is another, and the next question carries the page as it is", async () => {
    const preview = await pinPreview(conversation, reader);
    const other = URL_A.replace("lb1", "lb2");
    fake.tabList = [{ id: 7, windowId: 1, active: true, url: other }];
    captured = (tabId) => page(tabId, other);
    const token = { previewToken: preview?.token ?? "" };
    expect(await ask("?", token)).toEqual({ ok: false, reason: "page-changed" });
    expect(await ask("?", token)).toMatchObject({ request: { context: { url: other } } });
  });

  it("of a page that cannot be read does not exist", async () => {
    captured = () => ({ ok: false, fault: "needs-permission" });
    expect(await pinPreview(conversation, reader)).toBeNull();
  });
});
