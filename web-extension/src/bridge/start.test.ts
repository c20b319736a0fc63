import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import bridge from "../../../contract/schema/bridge-1.json";
import { FakeChrome, FakePort } from "../shared/testing/fake-chrome";
import type { PageReader } from "./page";
import { startBridge } from "./start";

const CONVERSATION = "11111111-2222-4333-8444-555555555555";
const OTHER = "22222222-2222-4333-8444-555555555555";
const ack = bridge.examples.valid.hello_ack;
const URL_A = "https://a.console.ves.volterra.io/web/lb1";

let fake: FakeChrome;

const reader: PageReader = {
  captureTab: async (tabId) => {
    const url = fake.tabList.find((tab) => tab.id === tabId)?.url ?? "";
    const facts = {
      v: 1,
      capturedAt: 1,
      tabId,
      url,
      path: "/",
      title: "",
      ax: null,
      api: null,
      truncated: false,
    } as const;
    const counts = { bytes: 9, budget: 65_536, nodesSeen: 1, nodesSent: 1, frames: 1, framesUnreadable: 0 };
    return { ok: true, capture: { snapshot: facts, report: { ...counts, redacted: [] }, selection: false } };
  },
  sessionKeyOf: (url) => (url.startsWith("https://") ? new URL(url).hostname : null),
  pageStateOf: async () => ({ api: "none" }),
};

beforeEach(() => {
  // Timers of one test's bridge must not reach into the next; waiting for a reaction still takes real time.
  vi.useFakeTimers({ shouldAdvanceTime: true });
  fake = new FakeChrome();
  fake.tabList = [{ id: 7, windowId: 1, active: true, url: URL_A, title: "lb1" }];
  vi.stubGlobal("chrome", fake);
});

afterEach(() => {
  vi.useRealTimers();
});

/** Opens a panel and waits until it was told what to show. */
async function openPanel(windowId = 1, showing?: string): Promise<FakePort> {
  const port = fake.panelPort();
  fake.runtime.onConnect.emit(port);
  port.receive({ kind: "attach", windowId, showing });
  await vi.waitFor(() => expect(port.last("page")).toBeDefined());
  return port;
}

async function startConnected(showing?: string): Promise<FakePort> {
  const before = fake.nativePorts.length;
  startBridge(reader);
  const port = await openPanel(1, showing);
  await vi.waitFor(() => expect(fake.nativePorts).toHaveLength(before + 1));
  fake.native.receive(ack);
  return port;
}

/** Asks and returns the id that the question got. */
async function ask(port: FakePort, text = "What is this?"): Promise<string> {
  const before = fake.native.ofKind("chat_request").length;
  port.receive({ kind: "ask", key: keyOf(port), text, mode: "configuration", attachPage: true });
  await vi.waitFor(() => expect(fake.native.ofKind("chat_request")).toHaveLength(before + 1));
  return String(fake.native.last("chat_request")?.["id"]);
}

function accept(id: string, conversation = CONVERSATION, title = "Load balancer"): void {
  fake.native.receive({ type: "turn_accepted", id, conversation, title, model: "offline" });
}

function say(id: string, seq: number, delta: string): void {
  fake.native.receive({ type: "chat_delta", id, seq, delta });
}

const keyOf = (port: FakePort): string => String(shown(port)["key"]);

const textOf = (port: FakePort): string =>
  port
    .ofKind("delta")
    .map((event) => event["text"])
    .join("");

const shown = (port: FakePort): Record<string, unknown> => Object(port.last("conversation")?.["conversation"]);

function record(id: string, text: string, state = "done"): Record<string, unknown> {
  const lists = { tools: [], references: [], media: [], notices: [] };
  return { id, prompt: "?", mode: "educational", startedAt: 1, state, text, ...lists };
}

function transcript(request: Record<string, unknown>, id: string, turns: unknown[]): unknown {
  const { conversation_transcript: example } = bridge.examples.valid;
  const { before: _before, ...rest } = example;
  return { ...rest, requestId: request["requestId"], conversation: { ...example.conversation, id }, turns };
}

describe("a panel", () => {
  it("is told the connection, the conversation and the page, in this order", async () => {
    startBridge(reader);
    const port = await openPanel();
    expect(port.posted.map((event) => Object(event).kind)).toEqual(["link", "conversation", "page"]);
    expect(port.last("page")?.["page"]).toMatchObject({
      state: "readable",
      tabId: 7,
      host: "a.console.ves.volterra.io",
    });
  });

  it("sees an answer grow, and never a piece of it twice (N3)", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    say(id, 0, "A load ");
    say(id, 0, "A load ");
    say(id, 1, "balancer.");
    fake.native.receive({ type: "chat_done", id });
    await vi.waitFor(() => expect(port.last("turn")?.["turn"]).toMatchObject({ state: "done" }));
    expect(textOf(port)).toBe("A load balancer.");
    expect(port.last("turn")?.["turn"]).toMatchObject({ text: "A load balancer." });
    expect(shown(port)).toMatchObject({ id: CONVERSATION, title: "Load balancer", mode: "configuration" });
  });

  it("N8: that was closed and opened again finds the answer that went on meanwhile", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    say(id, 0, "A");
    port.onDisconnect.emit();
    say(id, 1, "B");
    const again = await openPanel();
    expect(shown(again)).toMatchObject({ turns: [{ id, text: "AB", state: "running" }] });
    say(id, 2, "C");
    await vi.waitFor(() => expect(again.last("delta")).toMatchObject({ at: 2, text: "C" }));
  });

  it("asks one question at a time", async () => {
    const port = await startConnected();
    await ask(port);
    port.receive({ kind: "ask", key: keyOf(port), text: "and?", mode: "educational", attachPage: true });
    await vi.waitFor(() => expect(port.last("not-sent")).toMatchObject({ text: "and?", reason: "session-busy" }));
    expect(fake.native.ofKind("chat_request")).toHaveLength(1);
  });

  it("gets its stop and its retry", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    port.receive({ kind: "stop", turn: id });
    await vi.waitFor(() => expect(fake.native.last("chat_stop")).toEqual({ type: "chat_stop", id }));
    port.receive({ kind: "retry", key: keyOf(port), turn: id });
    await vi.waitFor(() => expect(fake.native.ofKind("chat_request")).toHaveLength(2));
    expect(fake.native.last("chat_request")).toMatchObject({ text: "What is this?", history_hint: CONVERSATION });
    expect(fake.native.last("chat_request")?.["id"]).not.toBe(id);
  });

  it("does nothing to a conversation that it does not show any more", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    fake.native.receive({ type: "chat_done", id });
    const stale = { key: "another", text: "Mine?", mode: "educational", attachPage: true };
    port.receive({ kind: "ask", ...stale });
    await vi.waitFor(() => expect(port.last("not-sent")).toMatchObject({ text: "Mine?", reason: "page-changed" }));
    port.receive({ kind: "branch", turn: id, ...stale });
    port.receive({ kind: "set-mode", key: "another", mode: "presentation" });
    port.receive({ kind: "older", key: "another", requestId: "p1" });
    await vi.waitFor(() => expect(port.last("refused")).toMatchObject({ requestId: "p1", code: "conflict" }));
    expect(port.ofKind("not-sent")).toHaveLength(2);
    expect(shown(port)).toMatchObject({ id: CONVERSATION, mode: "configuration" });
    expect(fake.native.posted).toHaveLength(2);
  });

  it("is told that its question is safe", async () => {
    const port = await startConnected();
    await ask(port);
    await vi.waitFor(() => expect(port.ofKind("sent")).toHaveLength(1));
  });

  it("learns at once that there is no worker, also when that was found while the page was read", async () => {
    startBridge(reader);
    const port = await openPanel();
    await vi.waitFor(() => expect(fake.nativePorts).toHaveLength(1));
    const question = { text: "?", mode: "educational", attachPage: true };
    port.receive({ kind: "ask", key: keyOf(port), ...question });
    fake.breakNative("Specified native messaging host not found.");
    await vi.waitFor(() => expect(port.last("turn")).toBeDefined());
    await vi.waitFor(() => expect(fake.nativePorts).toHaveLength(2));
    fake.breakNative("Specified native messaging host not found.");
    const failed = { state: "failed", reason: "no-worker", resending: true, retryAt: expect.any(Number) };
    await vi.waitFor(() => expect(port.last("turn")?.["turn"]).toMatchObject(failed));
  });

  it("shows the worker's record of a turn that was given up here", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    fake.breakNative("Native host has exited.");
    await vi.advanceTimersByTimeAsync(130_000);
    expect(port.last("turn")?.["turn"]).toMatchObject({ id, state: "failed", reason: "bridge-disconnected" });
    await vi.waitFor(() => expect(fake.native.posted).toHaveLength(1));
    fake.native.receive(ack);
    await vi.waitFor(() => expect(fake.native.last("conversation_get")).toBeDefined());
    fake.native.receive(transcript(Object(fake.native.last("conversation_get")), CONVERSATION, [record(id, "all")]));
    await vi.waitFor(() => expect(shown(port)).toMatchObject({ turns: [{ id, state: "done", text: "all" }] }));
  });

  it("N5, N25: sees a failed turn as failed, whatever the reason is called", async () => {
    const port = await startConnected();
    const id = await ask(port);
    fake.native.receive({ type: "chat_error", id, reason: "from-the-future" });
    await vi.waitFor(() => expect(port.last("turn")?.["turn"]).toMatchObject({ id, state: "failed" }));
  });

  it("gets exactly one answer to a request, also when the connection breaks under it", async () => {
    const port = await startConnected();
    port.receive({ kind: "list", requestId: "p1" });
    await vi.waitFor(() => expect(fake.native.last("conversation_list")).toBeDefined());
    fake.breakNative("Native host has exited.");
    await vi.waitFor(() => expect(port.last("refused")).toMatchObject({ requestId: "p1", code: "not-connected" }));
    expect(port.ofKind("reply")).toEqual([]);
  });

  it("does not fall over messages of another version", async () => {
    const port = await startConnected();
    for (const message of [null, {}, { kind: "ask" }, { kind: "gossip", requestId: "1" }, { kind: "toString" }]) {
      port.receive(message);
    }
    port.receive({ kind: "sync" });
    await vi.waitFor(() => expect(port.ofKind("conversation")).toHaveLength(2));
  });
});

describe("who may talk to the service worker", () => {
  it("S27: content scripts, other extensions and other ports are turned away", () => {
    startBridge(reader);
    const own = fake.runtime.getURL("panel.html");
    for (const [name, sender] of [
      ["sidewire-panel", { id: fake.runtime.id, url: URL_A, tab: { id: 7 } }],
      ["sidewire-panel", { id: "a".repeat(32), url: own }],
      ["sidewire-panel", { id: fake.runtime.id, url: `https://evil.example/?${own}` }],
      ["sidewire-panel", undefined],
      ["other", { id: fake.runtime.id, url: own }],
    ] as const) {
      const port = new FakePort(name, sender);
      fake.runtime.onConnect.emit(port);
      expect(port.open).toBe(false);
      port.receive({ kind: "attach", windowId: 1 });
      expect(port.posted).toEqual([]);
    }
    expect(fake.nativePorts).toEqual([]);
  });
});

describe("two tabs", () => {
  it("have two conversations, and each panel hears only of its own (routing rows of 9a)", async () => {
    const first = await startConnected();
    fake.tabList = [...fake.tabList, { id: 8, windowId: 2, active: true, url: "https://b.console.ves.volterra.io/x" }];
    const second = await openPanel(2);
    const [one, two] = [await ask(first, "one"), await ask(second, "two")];
    accept(one);
    accept(two, OTHER, "Other");
    say(two, 0, "2");
    say(one, 0, "1");
    await vi.waitFor(() => expect([textOf(first), textOf(second)]).toEqual(["1", "2"]));
    expect(fake.native.ofKind("chat_request").map((frame) => [frame["tabId"], frame["sessionKey"]])).toEqual([
      [7, "a.console.ves.volterra.io"],
      [8, "b.console.ves.volterra.io"],
    ]);
    first.receive({ kind: "stop", turn: one });
    await vi.waitFor(() => expect(fake.native.ofKind("chat_stop")).toEqual([{ type: "chat_stop", id: one }]));
  });

  it("of one window: each brings its conversation back, and one without leaves the panel where it is", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    const other = { id: 8, windowId: 1, active: true, url: "https://b.console.ves.volterra.io/x", title: "x" };
    fake.tabList = [{ ...Object(fake.tabList[0]), active: false }, other];
    fake.tabs.onActivated.emit({ tabId: 8, windowId: 1 });
    await vi.waitFor(() => expect(port.last("page")?.["page"]).toMatchObject({ tabId: 7, other: true }));
    expect(shown(port)).toMatchObject({ id: CONVERSATION });

    port.receive({ kind: "attach-tab", key: keyOf(port) });
    await vi.waitFor(() => expect(shown(port)).toMatchObject({ turns: [] }));
    expect(shown(port)["id"]).toBeUndefined();

    fake.tabList = [
      { ...Object(fake.tabList[0]), active: true },
      { ...other, active: false },
    ];
    fake.tabs.onActivated.emit({ tabId: 7, windowId: 1 });
    await vi.waitFor(() => expect(shown(port)).toMatchObject({ id: CONVERSATION, turns: [{ id }] }));
  });

  it("of which the conversation's own is gone: the one in front is offered, and not sent by itself", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    fake.native.receive({ type: "chat_done", id });
    fake.tabList = [{ id: 8, windowId: 1, active: true, url: URL_A }];
    fake.tabs.onRemoved.emit(7);
    fake.tabs.onActivated.emit({ tabId: 8, windowId: 1 });
    await vi.waitFor(() => expect(port.last("page")?.["page"]).toMatchObject({ tabId: 8, offered: true }));
    await ask(port, "And now?");
    expect(fake.native.last("chat_request")).toMatchObject({ context: null, history_hint: CONVERSATION });
  });

  it("a closed tab takes no conversation with it and stops no turn", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    fake.tabList = [];
    fake.tabs.onRemoved.emit(7);
    await vi.waitFor(() => expect(port.last("page")?.["page"]).toMatchObject({ state: "unreadable", fault: "no-tab" }));
    say(id, 0, "still here");
    await vi.waitFor(() => expect(textOf(port)).toBe("still here"));
    expect(fake.native.last("chat_stop")).toBeUndefined();
  });
});

describe("a dead service worker", () => {
  it("comes back with the panel's conversation and the running turn, nothing lost and nothing doubled", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    say(id, 0, "A");
    await vi.waitFor(() => expect(textOf(port)).toBe("A"));
    // The storage stays, everything in memory is gone; the tab in front is another one now.
    const dead = fake;
    fake = new FakeChrome();
    for (const [key, value] of dead.storage.session.values) fake.storage.session.values.set(key, value);
    fake.tabList = [{ id: 8, windowId: 1, active: true, url: "https://b.console.ves.volterra.io/x" }];
    vi.stubGlobal("chrome", fake);

    const again = await startConnected(keyOf(port));
    // The panel outlived the service worker: it keeps its picture until there is a better one.
    expect(again.last("conversation")).toBeUndefined();
    await vi.waitFor(() => expect(fake.native.last("resume")).toEqual({ type: "resume", turns: [id] }));
    await vi.waitFor(() => expect(fake.native.last("conversation_get")).toBeDefined());
    fake.native.receive({
      type: "turn_snapshot",
      conversation: CONVERSATION,
      nextSeq: 2,
      turn: record(id, "AB", "running"),
    });
    const turns = [record("c-0", "earlier"), record(id, "A", "running")];
    fake.native.receive(transcript(Object(fake.native.last("conversation_get")), CONVERSATION, turns));
    say(id, 1, "B");
    say(id, 2, "C");
    await vi.waitFor(() => expect(again.last("delta")).toMatchObject({ at: 2, text: "C" }));
    expect(shown(again)).toMatchObject({
      turns: [
        { id: "c-0", text: "earlier" },
        { id, text: "ABC" },
      ],
    });
  });

  it("keeps every conversation when the next one is woken by a tab that closes", async () => {
    accept(await ask(await startConnected()));
    const kept = (): unknown[] => Object(fake.storage.session.values.get("conversations")).conversations;
    await vi.waitFor(() => expect(kept()).toMatchObject([{ id: CONVERSATION, tabId: 7 }]));
    const { values } = fake.storage.session;
    fake = new FakeChrome();
    for (const [key, value] of values) fake.storage.session.values.set(key, value);
    fake.tabList = [{ id: 8, windowId: 1, active: true, url: "https://b.console.ves.volterra.io/x" }];
    vi.stubGlobal("chrome", fake);
    startBridge(reader);
    fake.tabs.onRemoved.emit(9);
    await vi.waitFor(() => expect(kept()).toEqual([expect.not.objectContaining({ tabId: 7 })]));
    expect(kept()).toMatchObject([{ id: CONVERSATION }]);
  });

  it("is remembered by a panel although its old port ends late", async () => {
    const port = await startConnected();
    const again = await openPanel(1, keyOf(port));
    port.onDisconnect.emit();
    await vi.waitFor(() => expect(fake.storage.session.values.get("places")).toEqual({ "window:1": keyOf(again) }));
  });

  it("does not give a later panel the place of one that was closed", async () => {
    const port = await startConnected();
    accept(await ask(port));
    port.onDisconnect.emit();
    fake.tabList = [{ id: 8, windowId: 1, active: true, url: "https://b.console.ves.volterra.io/x" }];
    expect(shown(await openPanel())).toMatchObject({ turns: [] });
  });
});

describe("a pinned preview", () => {
  async function pin(port: FakePort): Promise<string> {
    port.receive({ kind: "preview", key: keyOf(port), requestId: "p1" });
    await vi.waitFor(() => expect(port.last("reply")).toBeDefined());
    return String(Object(port.last("reply")?.["body"]).preview.token);
  }

  it("is sent with the next question", async () => {
    const port = await startConnected();
    const previewToken = await pin(port);
    port.receive({ kind: "ask", key: keyOf(port), text: "?", mode: "educational", attachPage: true, previewToken });
    await vi.waitFor(() => expect(fake.native.last("chat_request")).toMatchObject({ context: { tabId: 7 } }));
  });

  it("does not outlive the document, even at the same address", async () => {
    const port = await startConnected();
    const previewToken = await pin(port);
    fake.tabs.onUpdated.emit(7, { status: "loading" });
    port.receive({ kind: "ask", key: keyOf(port), text: "?", mode: "educational", attachPage: true, previewToken });
    await vi.waitFor(() => expect(port.last("not-sent")).toMatchObject({ text: "?", reason: "page-changed" }));
    expect(fake.native.ofKind("chat_request")).toEqual([]);
  });
});

describe("stored conversations", () => {
  it("are opened, read in pages, and watched when a turn of theirs still runs", async () => {
    const port = await startConnected();
    port.receive({ kind: "open", conversation: OTHER });
    await vi.waitFor(() => expect(fake.native.last("conversation_get")).toBeDefined());
    const page = Object(
      transcript(Object(fake.native.last("conversation_get")), OTHER, [record("c-9", "", "running")]),
    );
    fake.native.receive({ ...page, before: "4" });
    await vi.waitFor(() => expect(shown(port)).toMatchObject({ id: OTHER, before: "4", turns: [{ id: "c-9" }] }));
    expect(fake.native.last("resume")).toEqual({ type: "resume", turns: ["c-9"] });

    port.receive({ kind: "older", key: keyOf(port), requestId: "p1" });
    await vi.waitFor(() => expect(fake.native.last("conversation_get")).toMatchObject({ before: "4" }));
    fake.native.receive(transcript(Object(fake.native.last("conversation_get")), OTHER, [record("c-8", "older")]));
    await vi.waitFor(() => expect(port.last("reply")).toMatchObject({ requestId: "p1" }));
    expect(port.last("older")).toMatchObject({ turns: [{ id: "c-8" }] });
  });

  it("that are gone leave the panel where it is", async () => {
    const port = await startConnected();
    accept(await ask(port));
    port.receive({ kind: "open", conversation: OTHER });
    await vi.waitFor(() => expect(fake.native.last("conversation_get")).toBeDefined());
    const { requestId } = Object(fake.native.last("conversation_get"));
    fake.native.receive({ type: "request_error", requestId, code: "not-found", message: "no such conversation" });
    await vi.waitFor(() => expect(port.ofKind("conversation").length).toBeGreaterThan(2));
    expect(shown(port)).toMatchObject({ id: CONVERSATION });
  });

  it("are branched from an earlier question", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    fake.native.receive({ type: "chat_done", id });
    port.receive({
      kind: "branch",
      key: keyOf(port),
      turn: id,
      text: "Again?",
      mode: "educational",
      attachPage: false,
    });
    await vi.waitFor(() => expect(fake.native.last("conversation_branch")).toMatchObject({ before: id }));
    fake.native.receive(transcript(Object(fake.native.last("conversation_branch")), OTHER, []));
    await vi.waitFor(() => expect(fake.native.ofKind("chat_request")).toHaveLength(2));
    expect(fake.native.last("chat_request")).toMatchObject({ text: "Again?", history_hint: OTHER, context: null });
  });
});

describe("gestures", () => {
  it("the toolbar icon opens the panel of its window", () => {
    startBridge(reader);
    fake.action.onClicked.emit({ id: 7, windowId: 3, active: true });
    expect(fake.opened).toEqual([3]);
  });

  it("a selection waits for the panel that its menu opens, and comes at once when the panel is there", async () => {
    startBridge(reader);
    fake.runtime.onInstalled.emit();
    expect(fake.menus).toMatchObject([{ contexts: ["selection"], title: "contextMenuAsk" }]);
    const tab = { id: 7, windowId: 1, active: true };
    fake.contextMenus.onClicked.emit({ menuItemId: "ask-selection", selectionText: "lb1" }, tab);
    expect(fake.opened).toEqual([1]);
    const port = await openPanel();
    await vi.waitFor(() => expect(port.ofKind("draft")).toEqual([{ kind: "draft", text: "lb1" }]));
    fake.contextMenus.onClicked.emit({ menuItemId: "ask-selection", selectionText: "x".repeat(9_000) }, tab);
    expect(port.last("draft")).toEqual({ kind: "draft", text: "x".repeat(8_192) });
  });
});

describe("incognito", () => {
  it("says that nothing is kept, to the person and to the worker", async () => {
    fake.extension.inIncognitoContext = true;
    const port = await startConnected();
    expect(shown(port)).toMatchObject({ ephemeral: true });
    expect(fake.native.last("client_info")).toMatchObject({ ephemeral: true });
    await ask(port);
    for (const key of fake.storage.session.values.keys()) expect(key).toMatch(/^incognito:/);
  });
});
