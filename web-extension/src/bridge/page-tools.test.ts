/** Page tools and media through the whole service worker: from the worker's frame to the panel's port and back. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import chat from "../../../contract/schema/chat-2.1.0.json";
import { listConversationGrants, listGrants } from "../page-tools/grants-store";
import { FakePort } from "../shared/testing/fake-chrome";
import {
  accept,
  ack,
  ask,
  CONVERSATION,
  fake,
  keyOf,
  openPanel,
  record,
  restartBrowser,
  startConnected,
  URL_A,
  useBrowser,
} from "./testing/stage";

useBrowser();

const ORIGIN = new URL(URL_A).origin;
const REF = `blob:sha256:${"a".repeat(64)}`;

/** The page has one frame, whose content script finds and does everything. */
function playPage(): void {
  const result = { url: URL_A, origin: ORIGIN, path: "", focus: null };
  fake.inject = async () => [{ frameId: 0, result }];
  fake.contentScript = async (_tab, message) =>
    Object(message).kind === "sidewire-tool-target"
      ? { ok: true, role: "button", name: "Edit", secret: false }
      : { ok: true, text: "clicked" };
}

beforeEach(playPage);

const asked = (kind: string): unknown[] => fake.told.filter(({ message }) => Object(message).kind === kind);

let calls = 0;

/** The worker calls a tool in the name of a turn. */
function call(turn: string, toolName = "page_click", scope: object = {}, given?: object): string {
  calls += 1;
  const id = `call-${calls}`;
  const own = { callId: id, chatId: turn, conversation: CONVERSATION, tabId: 7, ...scope };
  fake.native.receive({ type: "host_tool_scope", ...own });
  const args = given ?? (toolName === "page_click" ? { ref: "kq12" } : {});
  fake.native.receive({ type: "host_tool_call", id, toolCallId: "t", toolName, arguments: args });
  return id;
}

async function result(id: string): Promise<string> {
  const find = () => fake.native.ofKind("host_tool_result").find((frame) => frame["id"] === id);
  await vi.waitFor(() => expect(find()).toBeDefined());
  return String(Object(find()).result.content[0].text);
}

async function card(port: FakePort): Promise<Record<string, unknown>> {
  return vi.waitFor(() => {
    const [first] = Object(port.last("consents")).cards;
    expect(first).toBeDefined();
    return first;
  });
}

async function running(): Promise<{ port: FakePort; turn: string }> {
  const port = await startConnected();
  const turn = await ask(port);
  accept(turn);
  return { port, turn };
}

describe("a connection", () => {
  it("is told of the tools before anything else, each time anew", async () => {
    const { turn } = await running();
    const types = () => fake.native.posted.map((frame) => Object(frame).type);
    expect(types().slice(0, 2)).toEqual(["client_info", "set_host_tools"]);
    fake.breakNative("Native host has exited.");
    await vi.waitFor(() => expect(fake.nativePorts).toHaveLength(2));
    fake.native.receive(ack);
    await vi.waitFor(() => expect(types()).toEqual(["client_info", "set_host_tools", "resume"]));
    expect(fake.native.last("resume")).toMatchObject({ turns: [turn] });
  });

  it("that breaks ends its calls, and the next one hears nothing of them", async () => {
    const { port, turn } = await running();
    call(turn);
    await card(port);
    fake.breakNative("Native host has exited.");
    await vi.waitFor(() => expect(port.last("consents")).toMatchObject({ cards: [] }));
    await vi.waitFor(() => expect(fake.nativePorts).toHaveLength(2));
    fake.native.receive(ack);
    await vi.advanceTimersByTimeAsync(130_000);
    expect(fake.native.ofKind("host_tool_result")).toEqual([]);
  });
});

describe("a call", () => {
  it("is asked in the panel, done in the page and answered to the worker", async () => {
    const { port, turn } = await running();
    const id = call(turn);
    const { id: name, ...shown } = await card(port);
    expect(shown).toMatchObject({ turn, action: "click", site: new URL(URL_A).host, target: "Edit" });
    port.receive({ kind: "consent", id: name, answer: "always" });
    expect(await result(id)).toBe("clicked");
    expect(asked("sidewire-tool")).toMatchObject([{ tabId: 7, frameId: 0, message: { confirmed: true } }]);
    expect(port.last("consents")).toMatchObject({ key: keyOf(port), cards: [] });
    expect(await listGrants()).toEqual([{ origin: ORIGIN, actions: ["click"] }]);
  });

  it("of a turn that was not asked here, or is over, acts on nothing", async () => {
    const { turn } = await running();
    expect(await result(call("c-other"))).toMatch(/^unscoped/);
    expect(await result(call(turn, "page_text", { tabId: 8 }))).toMatch(/^unscoped/);
    fake.native.receive({ type: "chat_done", id: turn });
    expect(await result(call(turn, "page_text"))).toMatch(/^unscoped/);
    expect(asked("sidewire-tool")).toEqual([]);
  });

  it("of a turn that was asked without the page gets nothing of it", async () => {
    const port = await startConnected();
    const question = { key: keyOf(port), text: "?", mode: "configuration", attachPage: false };
    port.receive({ kind: "ask", ...question });
    await vi.waitFor(() => expect(fake.native.last("chat_request")).toBeDefined());
    const turn = String(fake.native.last("chat_request")?.["id"]);
    accept(turn);
    expect(await result(call(turn))).toMatch(/^page-not-shared/);
    expect(await result(call(turn, "page_text"))).toMatch(/^page-not-shared/);
    expect(asked("sidewire-tool-target")).toEqual([]);
  });

  it("of a resumed turn works after the service worker died, with what the person had shared", async () => {
    const { turn } = await running();
    restartBrowser();
    playPage();
    fake.tabList = [{ id: 7, windowId: 1, active: true, url: URL_A }];
    await startConnected();
    await vi.waitFor(() => expect(fake.native.last("resume")).toMatchObject({ turns: [turn] }));
    const snapshot = {
      type: "turn_snapshot",
      conversation: CONVERSATION,
      nextSeq: 0,
      turn: record(turn, "", "running"),
    };
    fake.native.receive(snapshot);
    const id = call(turn, "page_snapshot");
    expect(await result(id)).toBe("clicked");
  });

  it("40a6cb2 (wrong tab): of a conversation that was taken to another tab acts on neither", async () => {
    const { port, turn } = await running();
    fake.tabList = [
      { ...Object(fake.tabList[0]), active: false },
      { id: 8, windowId: 1, active: true, url: URL_A },
    ];
    fake.tabs.onActivated.emit({ tabId: 8, windowId: 1 });
    await vi.waitFor(() => expect(port.last("page")?.["page"]).toMatchObject({ tabId: 7, other: true }));
    port.receive({ kind: "attach-tab", key: keyOf(port) });
    await vi.waitFor(() => expect(port.last("page")?.["page"]).toMatchObject({ tabId: 8, other: false }));
    expect(await result(call(turn, "page_text"))).toMatch(/^tab-moved/);
  });
});

describe("what is typed into a secret field", () => {
  const row = (turn: string, phase: string) => ({
    type: "tool_activity",
    chatId: turn,
    callId: "t",
    tool: "page_fill",
    phase,
    input: '{"ref":"kq12","value":"hunter22"}',
  });
  const inputs = (port: FakePort): unknown[] =>
    Object(port.last("turn")).turn.tools.map((tool: { input?: string }) => tool.input);

  it.each([
    [true, "••••••"],
    [false, "hunter22"],
  ])("is not in the row that a person sees (secret: %s)", async (secret, shown) => {
    fake.contentScript = async (_tab, message) =>
      Object(message).kind === "sidewire-tool-target"
        ? { ok: true, role: "textbox", name: "Login", secret, editable: true }
        : { ok: true, text: "Filled." };
    const { port, turn } = await running();
    fake.native.receive(row(turn, "started"));
    await vi.waitFor(() => expect(inputs(port)).toEqual(['{"ref":"kq12","value":"••••••"}']));
    const id = call(turn, "page_fill", {}, { ref: "kq12", value: "hunter22" });
    port.receive({ kind: "consent", id: (await card(port))["id"], answer: "once" });
    expect(await result(id)).toBe("Filled.");
    fake.native.receive(row(turn, "finished"));
    await vi.waitFor(() => expect(inputs(port)).toEqual([`{"ref":"kq12","value":"${shown}"}`]));
  });
});

describe("the Stop of the panel", () => {
  it("N20: ends the action and the turn", async () => {
    const { port, turn } = await running();
    const id = call(turn);
    await card(port);
    port.receive({ kind: "stop", turn });
    expect(await result(id)).toMatch(/^cancelled/);
    expect(fake.native.last("chat_stop")).toEqual({ type: "chat_stop", id: turn });
    expect(port.last("consents")).toMatchObject({ cards: [] });
    expect(asked("sidewire-tool")).toEqual([]);
  });

  it("N20: and that of the badge in the page do the same", async () => {
    const { port, turn } = await running();
    fake.contentScript = async (_tab, message) =>
      Object(message).kind === "sidewire-tool-target"
        ? { ok: true, role: "button", name: "Edit", secret: false }
        : new Promise(() => undefined);
    const id = call(turn);
    port.receive({ kind: "consent", id: (await card(port))["id"], answer: "once" });
    await vi.waitFor(() => expect(asked("sidewire-tool-badge")).toHaveLength(1));
    const { call: name } = Object(Object(asked("sidewire-tool-badge")[0]).message);
    const sender = { id: fake.runtime.id, frameId: 0, tab: { id: 7 } };
    fake.runtime.onMessage.emit({ kind: "sidewire-stop", call: name }, { ...sender, tab: { id: 8 } });
    expect(fake.native.last("chat_stop")).toBeUndefined();
    fake.runtime.onMessage.emit({ kind: "sidewire-stop", call: name }, sender);
    expect(await result(id)).toMatch(/^cancelled/);
    expect(fake.native.last("chat_stop")).toEqual({ type: "chat_stop", id: turn });
  });
});

describe("cards", () => {
  it("come to a panel that opens while they wait, and go with the last panel", async () => {
    const { port, turn } = await running();
    const id = call(turn);
    const { id: name } = await card(port);
    const second = await openPanel(2);
    second.receive({ kind: "open", conversation: CONVERSATION });
    expect(await card(second)).toMatchObject({ id: name });
    port.onDisconnect.emit();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fake.native.ofKind("host_tool_result")).toEqual([]);
    second.onDisconnect.emit();
    expect(await result(id)).toMatch(/^consent-unavailable/);
    expect(fake.badges.get(7)).toBe("!");
  });

  it("of a tab behind another one are told to its window's panel and icon, which lead there", async () => {
    const { port, turn } = await running();
    const waiting = keyOf(port);
    const other = { id: 8, windowId: 1, active: true, url: "https://b.console.ves.volterra.io/x" };
    fake.tabList = [{ ...Object(fake.tabList[0]), active: false }, other];
    fake.tabs.onActivated.emit({ tabId: 8, windowId: 1 });
    await vi.waitFor(() => expect(port.last("page")?.["page"]).toMatchObject({ tabId: 7, other: true }));
    port.receive({ kind: "open", conversation: null });
    await vi.waitFor(() => expect(keyOf(port)).not.toBe(waiting));
    const id = call(turn);
    await vi.waitFor(() => expect(port.last("elsewhere")).toMatchObject({ waits: true }));
    await vi.waitFor(() => expect([fake.badges.get(7), fake.badges.get(8)]).toEqual(["!", "!"]));
    port.receive({ kind: "show-waiting" });
    const { id: name } = await card(port);
    expect(keyOf(port)).toBe(waiting);
    expect(fake.tabList.find(({ active }) => active)?.id).toBe(7);
    await vi.waitFor(() => expect(fake.badges.get(8)).toBe(""));
    expect(port.last("elsewhere")).toMatchObject({ waits: false });
    port.receive({ kind: "consent", id: name, answer: "deny" });
    expect(await result(id)).toMatch(/^consent-denied/);
    expect(fake.badges.get(7)).toBe("");
  });

  it("S22: are not answered by a panel that shows another conversation, nor by the options page", async () => {
    const { port, turn } = await running();
    call(turn);
    const { id } = await card(port);
    fake.tabList = [...fake.tabList, { id: 8, windowId: 2, active: true, url: "https://b.console.ves.volterra.io/" }];
    const other = await openPanel(2);
    other.receive({ kind: "consent", id, answer: "once" });
    const options = fake.panelPort(9);
    Object(options.sender).url = fake.runtime.getURL("options.html");
    fake.runtime.onConnect.emit(options);
    options.receive({ kind: "attach", windowId: 1 });
    await vi.waitFor(() => expect(options.last("page")).toBeDefined());
    options.receive({ kind: "consent", id, answer: "once" });
    port.receive({ kind: "consent", id, answer: "perhaps" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked("sidewire-tool")).toEqual([]);
    port.receive({ kind: "sync" });
    expect(await card(port)).toMatchObject({ id });
  });

  it("go on waiting while another tab is in front, and are there again with their tab", async () => {
    const { port, turn } = await running();
    const id = call(turn);
    const { id: name } = await card(port);
    const other = { id: 8, windowId: 1, active: true, url: "https://b.console.ves.volterra.io/x" };
    fake.tabList = [{ ...Object(fake.tabList[0]), active: false }, other];
    fake.tabs.onActivated.emit({ tabId: 8, windowId: 1 });
    await vi.waitFor(() => expect(port.last("page")?.["page"]).toMatchObject({ tabId: 7, other: true }));
    port.receive({ kind: "open", conversation: null });
    await vi.waitFor(() => expect(port.last("consents")).toMatchObject({ cards: [] }));
    fake.tabList = [
      { ...Object(fake.tabList[0]), active: true },
      { ...other, active: false },
    ];
    fake.tabs.onActivated.emit({ tabId: 7, windowId: 1 });
    expect(await card(port)).toMatchObject({ id: name });
    port.receive({ kind: "consent", id: name, answer: "deny" });
    expect(await result(id)).toMatch(/^consent-denied/);
  });
});

describe("media", () => {
  it("are read through the connection for the conversation that is shown, also after its turn", async () => {
    const { port, turn } = await running();
    fake.native.receive({ ...chat.examples.valid.chat_media, id: turn });
    fake.native.receive({ type: "chat_done", id: turn });
    await vi.waitFor(() =>
      expect(port.last("turn")?.["turn"]).toMatchObject({ state: "done", media: [{ kind: "image" }] }),
    );
    port.receive({ kind: "media", requestId: "p1", key: keyOf(port), ref: REF, offset: 0 });
    await vi.waitFor(() => expect(fake.native.last("media_asset_read")).toMatchObject({ ref: REF, offset: 0 }));
    const { requestId } = Object(fake.native.last("media_asset_read"));
    fake.native.receive({ ...chat.examples.valid.media_asset_chunk, requestId });
    await vi.waitFor(() => expect(port.last("reply")).toMatchObject({ requestId: "p1", body: { kind: "media" } }));
    expect(Object(port.last("reply")).body.chunk).toEqual(chat.examples.valid.media_asset_chunk.chunk);
  });

  it("that the worker does not have, or another conversation's panel asks for, are refused", async () => {
    const port = await startConnected();
    port.receive({ kind: "media", requestId: "p1", key: "another", ref: REF, offset: 0 });
    await vi.waitFor(() => expect(port.last("refused")).toMatchObject({ requestId: "p1", code: "conflict" }));
    port.receive({ kind: "media", requestId: "p2", key: keyOf(port), ref: REF, offset: 0 });
    await vi.waitFor(() => expect(fake.native.last("media_asset_read")).toBeDefined());
    const { requestId } = Object(fake.native.last("media_asset_read"));
    fake.native.receive({ type: "media_asset_error", requestId, error: "asset-unavailable" });
    await vi.waitFor(() => expect(port.last("refused")).toMatchObject({ requestId: "p2", code: "media-unavailable" }));
  });

  it("fail at once when the connection breaks under them", async () => {
    const port = await startConnected();
    port.receive({ kind: "media", requestId: "p1", key: keyOf(port), ref: REF, offset: 0 });
    await vi.waitFor(() => expect(fake.native.last("media_asset_read")).toBeDefined());
    fake.breakNative("Native host has exited.");
    await vi.waitFor(() => expect(port.last("refused")).toMatchObject({ requestId: "p1", code: "not-connected" }));
  });
});

describe("what was allowed", () => {
  it("in a conversation is taken back by the service worker, and goes with the conversation", async () => {
    const { port, turn } = await running();
    const allow = async (): Promise<void> => {
      const id = call(turn);
      port.receive({ kind: "consent", id: (await card(port))["id"], answer: "conversation" });
      await result(id);
    };
    await allow();
    expect(await listConversationGrants()).toEqual([{ origin: ORIGIN, actions: ["click"] }]);
    port.receive({ kind: "revoke-grant", requestId: "p1", origin: ORIGIN, action: "everything" });
    port.receive({ kind: "revoke-grant", requestId: "p2", origin: ORIGIN, action: "click" });
    await vi.waitFor(() => expect(port.last("reply")).toMatchObject({ requestId: "p2", body: { kind: "done" } }));
    expect(port.ofKind("reply")).toHaveLength(1);
    expect(await listConversationGrants()).toEqual([]);
    await allow();
    port.receive({ kind: "delete", requestId: "p3", conversation: CONVERSATION });
    await vi.waitFor(() => expect(fake.native.last("conversation_delete")).toBeDefined());
    fake.native.receive({ type: "request_done", requestId: fake.native.last("conversation_delete")?.["requestId"] });
    await vi.waitFor(async () => expect(await listConversationGrants()).toEqual([]));
  });
});

describe("a frame that is acted on", () => {
  it("holds a port that ends with the service worker, and a stranger's is closed", async () => {
    await startConnected();
    const own = new FakePort("sidewire-tools", { id: fake.runtime.id, tab: { id: 7 } });
    const other = new FakePort("sidewire-tools", { id: "a".repeat(32) });
    for (const port of [own, other]) fake.runtime.onConnect.emit(port);
    expect([own.open, other.open]).toEqual([true, false]);
  });

  it("is not shown on the icon any more when the service worker has died", async () => {
    fake.badges.set(7, "●");
    await startConnected();
    await vi.waitFor(() => expect(fake.badges.get(7)).toBe(""));
  });
});

describe("delete all my data", () => {
  it("takes what was allowed along", async () => {
    const { port, turn } = await running();
    const id = call(turn);
    port.receive({ kind: "consent", id: (await card(port))["id"], answer: "always" });
    await result(id);
    port.receive({ kind: "delete-everything", requestId: "p1" });
    await vi.waitFor(() => expect(fake.native.last("data_delete")).toBeDefined());
    fake.native.receive({ type: "request_done", requestId: fake.native.last("data_delete")?.["requestId"] });
    await vi.waitFor(() => expect(port.last("reply")).toMatchObject({ requestId: "p1" }));
    expect(await listGrants()).toEqual([]);
  });
});
