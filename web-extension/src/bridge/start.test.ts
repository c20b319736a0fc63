import { describe, expect, it, vi } from "vitest";
import { FakePort } from "../shared/testing/fake-chrome";
import { startBridge } from "./start";
import {
  accept,
  ack,
  ask,
  CONVERSATION,
  fake,
  keyOf,
  openPanel,
  reader,
  record,
  say,
  shown,
  startConnected,
  textOf,
  transcript,
  URL_A,
  useBrowser,
} from "./testing/stage";

useBrowser();

describe("a panel", () => {
  it("is told the connection, the conversation and the page, in this order", async () => {
    startBridge(reader);
    const port = await openPanel();
    expect(port.posted.map((event) => Object(event).kind)).toEqual(["link", "conversation", "consents", "page"]);
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
    expect(fake.native.ofKind("chat_request")).toHaveLength(1);
    expect(fake.native.ofKind("conversation_branch")).toEqual([]);
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
