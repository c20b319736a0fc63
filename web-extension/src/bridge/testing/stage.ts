/**
 * A browser and a worker for tests of the whole service worker: the fakes, and the few moves that every test makes.
 *
 * `fake` is replaced before each test, and by `restartBrowser` where a service worker dies.
 */
import { afterEach, beforeEach, expect, vi } from "vitest";
import bridge from "../../../../contract/schema/bridge-1.json";
import { FakeChrome, type FakePort } from "../../shared/testing/fake-chrome";
import type { PageReader } from "../page";
import { startBridge } from "../start";

export const CONVERSATION = "11111111-2222-4333-8444-555555555555";
export const OTHER = "22222222-2222-4333-8444-555555555555";
export const ack = bridge.examples.valid.hello_ack;
export const URL_A = "https://a.console.ves.volterra.io/web/lb1";
export const URL_B = "https://b.console.ves.volterra.io/x";

export let fake: FakeChrome;

export const reader: PageReader = {
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

/** Registers the hooks that give each test a browser of its own, with one tab in front. */
export function useBrowser(): void {
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
}

/** The service worker is dead: session storage stays, everything in memory is gone, and another tab is in front. */
export function restartBrowser(): void {
  const { values } = fake.storage.session;
  fake = new FakeChrome();
  for (const [key, value] of values) fake.storage.session.values.set(key, value);
  fake.tabList = [{ id: 8, windowId: 1, active: true, url: URL_B }];
  vi.stubGlobal("chrome", fake);
}

/** Opens a panel and waits until it was told what to show. */
export async function openPanel(windowId = 1, showing?: string): Promise<FakePort> {
  const port = fake.panelPort();
  fake.runtime.onConnect.emit(port);
  port.receive({ kind: "attach", windowId, showing });
  await vi.waitFor(() => expect(port.last("page")).toBeDefined());
  return port;
}

export async function startConnected(showing?: string): Promise<FakePort> {
  const before = fake.nativePorts.length;
  startBridge(reader);
  const port = await openPanel(1, showing);
  await vi.waitFor(() => expect(fake.nativePorts).toHaveLength(before + 1));
  fake.native.receive(ack);
  return port;
}

/** Asks and returns the id that the question got. */
export async function ask(port: FakePort, text = "What is this?"): Promise<string> {
  const before = fake.native.ofKind("chat_request").length;
  port.receive({ kind: "ask", key: keyOf(port), text, mode: "configuration", attachPage: true });
  await vi.waitFor(() => expect(fake.native.ofKind("chat_request")).toHaveLength(before + 1));
  return String(fake.native.last("chat_request")?.["id"]);
}

export function accept(id: string, conversation = CONVERSATION, title = "Load balancer"): void {
  fake.native.receive({ type: "turn_accepted", id, conversation, title, model: "offline" });
}

export function say(id: string, seq: number, delta: string): void {
  fake.native.receive({ type: "chat_delta", id, seq, delta });
}

export const keyOf = (port: FakePort): string => String(shown(port)["key"]);

export const textOf = (port: FakePort): string =>
  port
    .ofKind("delta")
    .map((event) => event["text"])
    .join("");

export const shown = (port: FakePort): Record<string, unknown> => Object(port.last("conversation")?.["conversation"]);

export function record(id: string, text: string, state = "done"): Record<string, unknown> {
  const lists = { tools: [], references: [], media: [], notices: [] };
  return { id, prompt: "?", mode: "educational", startedAt: 1, state, text, ...lists };
}

export function transcript(request: Record<string, unknown>, id: string, turns: unknown[]): unknown {
  const { conversation_transcript: example } = bridge.examples.valid;
  const { before: _before, ...rest } = example;
  return { ...rest, requestId: request["requestId"], conversation: { ...example.conversation, id }, turns };
}
