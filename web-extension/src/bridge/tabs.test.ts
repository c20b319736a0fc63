import { describe, expect, it, vi } from "vitest";
import { startBridge } from "./start";
import {
  accept,
  ask,
  CONVERSATION,
  fake,
  keyOf,
  OTHER,
  openPanel,
  reader,
  record,
  restartBrowser,
  say,
  shown,
  startConnected,
  textOf,
  transcript,
  URL_A,
  URL_B,
  useBrowser,
} from "./testing/stage";

useBrowser();

describe("two tabs", () => {
  it("have two conversations, and each panel hears only of its own (routing rows of 9a)", async () => {
    const first = await startConnected();
    fake.tabList = [...fake.tabList, { id: 8, windowId: 2, active: true, url: URL_B }];
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
    const other = { id: 8, windowId: 1, active: true, url: URL_B, title: "x" };
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
    restartBrowser();

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
    restartBrowser();
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
    fake.tabList = [{ id: 8, windowId: 1, active: true, url: URL_B }];
    expect(shown(await openPanel())).toMatchObject({ turns: [] });
  });
});
