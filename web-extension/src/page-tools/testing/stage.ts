/** A worker, a panel and a page for tests of page tools: the test plays all three. */
import { afterEach, beforeEach, vi } from "vitest";
import type { ConsentCard } from "../../bridge/panel-port";
import type { PageState } from "../../capture/api";
import type { BrowserFrame, PageContextSnapshot } from "../../contract/types";
import { FakeChrome } from "../../shared/testing/fake-chrome";
import type { Frame } from "../frames";
import type { TurnPage } from "../guard";
import { HostTools } from "../host-tools";
import type { ToolMessage } from "../messages";
import type { Policy } from "../policy";
import { paced } from "../screenshot";
import type { PageWorld } from "../tool";

export const TURN = "c-1";
export const CONVERSATION = "11111111-2222-4333-8444-555555555555";
export const ORIGIN = "https://acme.example";
export const PAGE = `${ORIGIN}/web/lb1`;
export const TAB = 7;

type Asked = Extract<ToolMessage, { tool: string }>;
type Answer = (frameId: number, message: Asked) => unknown;

/** What a frame answers when a test does not care. */
export const done = (text = "done"): unknown => ({ ok: true, text });
export const target = (name = "Edit", more: object = {}): unknown => ({
  ok: true,
  role: "button",
  name,
  secret: false,
  ...more,
});

/** Everything around `HostTools`. */
export class Stage {
  readonly browser = new FakeChrome();
  readonly sent: BrowserFrame[] = [];
  readonly asked: (Asked & { frameId: number })[] = [];
  readonly told: (ToolMessage & { frameId?: number })[] = [];
  readonly stopped: string[] = [];
  turn: TurnPage | undefined = {
    turn: TURN,
    conversation: "key",
    conversationId: CONVERSATION,
    tabId: TAB,
    tabNow: TAB,
    origin: ORIGIN,
  };
  frames: Frame[] = [{ id: 0, url: PAGE, origin: ORIGIN, focused: true }];
  /** Why the frames cannot be listed. */
  listing: Error | undefined;
  answer: Answer = (_frame, message) => (message.kind === "sidewire-tool-target" ? target() : done());
  /** What a frame answers when it is to cover its secrets. */
  cover: (frameId: number) => unknown = () => ({ ok: true, covered: 0, steady: true });
  /** Frames that cannot be read. */
  unreadable = 0;
  policy: Policy = { allowedDomains: [], blockedUrlPatterns: [], confirmBeforeMutating: false };
  api: PageContextSnapshot["api"] = null;
  pageState: PageState = { api: "none" };
  panels = 1;
  connected = true;
  cards: ConsentCard[] = [];
  readonly tools: HostTools;
  #calls = 0;

  constructor() {
    this.browser.tabList = [{ id: TAB, windowId: 1, active: true, url: PAGE, title: "lb1", status: "complete" }];
    vi.stubGlobal("chrome", this.browser);
    this.tools = new HostTools(this.#world(), {
      send: (frame) => {
        if (this.connected) this.sent.push(frame);
        return this.connected;
      },
      turn: (id) => (this.turn?.turn === id ? this.turn : undefined),
      moved: (_turn, origin) => {
        if (this.turn !== undefined) this.turn.origin = origin;
      },
      stop: (turn) => {
        this.stopped.push(turn);
        this.end(true);
      },
      reachable: () => this.panels > 0,
      changed: (_conversation, cards) => {
        this.cards = cards;
      },
    });
  }

  /** The worker calls a tool, after its scope; the scope may be told otherwise, or left out with null. */
  call(toolName: string, args: Record<string, unknown> = {}, scope: Record<string, unknown> | null = {}): string {
    this.#calls += 1;
    const id = `call-${this.#calls}`;
    const own = { callId: id, chatId: TURN, conversation: CONVERSATION, tabId: TAB };
    if (scope !== null) this.tools.frame({ type: "host_tool_scope", ...own, ...scope });
    this.tools.frame({ type: "host_tool_call", id, toolCallId: `t-${id}`, toolName, arguments: args });
    return id;
  }

  /** Waits for the answer to a call and gives its text, with "! " before that of an error. */
  async result(id: string): Promise<string> {
    await vi.waitFor(() => {
      if (this.results(id).length === 0) throw new Error(`no answer to ${id}`);
    });
    const [frame] = this.results(id);
    const texts = frame?.result.content.map((block) => String(block["text"] ?? block.type)) ?? [];
    return (frame?.isError === true ? "! " : "") + texts.join("|");
  }

  /** Calls a tool and waits for its answer. */
  run(toolName: string, args: Record<string, unknown> = {}): Promise<string> {
    return this.result(this.call(toolName, args));
  }

  /** Calls a tool whose card is answered with "once". */
  async runAllowed(toolName: string, args: Record<string, unknown> = {}): Promise<string> {
    const id = this.call(toolName, args);
    this.tools.consents.answer("key", (await this.card()).id, "once");
    return this.result(id);
  }

  results(id: string): Extract<BrowserFrame, { type: "host_tool_result" }>[] {
    return this.sent.flatMap((frame) => (frame.type === "host_tool_result" && frame.id === id ? [frame] : []));
  }

  updates(id: string): number {
    return this.sent.filter((frame) => frame.type === "host_tool_update" && frame.id === id).length;
  }

  /** What the row of a call was told so far. */
  progress(id: string): unknown[] {
    return this.sent.flatMap((frame) =>
      frame.type === "host_tool_update" && frame.id === id ? [frame.partialResult.content[0]?.["text"]] : [],
    );
  }

  /** The badges that were shown in the page. */
  badges(): (Extract<ToolMessage, { kind: "sidewire-tool-badge" }> & { frameId?: number })[] {
    return this.told.flatMap((message) => (message.kind === "sidewire-tool-badge" ? [message] : []));
  }

  /** The card at a place of the list, when it is there. */
  async card(at = 0): Promise<ConsentCard> {
    return vi.waitFor(() => {
      const card = this.cards[at];
      if (card === undefined) throw new Error("no card is open");
      return card;
    });
  }

  /** The turn is over. */
  end(stopped = false): void {
    this.turn = undefined;
    this.tools.turnEnded(TURN, stopped);
  }

  /** What frames were asked to do, not only what they would act on. */
  acted(): (Asked & { frameId: number })[] {
    return this.asked.filter(({ kind }) => kind === "sidewire-tool");
  }

  /** The tab shows another address. */
  goTo(url: string | undefined): void {
    const { url: _before, ...tab } = Object(this.browser.tabList[0]);
    this.browser.tabList = [{ ...tab, ...(url !== undefined && { url }) }];
    this.frames = [{ id: 0, url: url ?? "", origin: URL.parse(url ?? "")?.origin ?? "null", focused: true }];
  }

  #world(): PageWorld {
    return {
      frames: {
        list: async () => {
          if (this.listing !== undefined) throw this.listing;
          return this.frames;
        },
        all: async () => this.frames,
        count: async () => this.frames.length + this.unreadable,
        ask: async (_tab, frameId, message) => {
          if (message.kind === "sidewire-tool-cover") return this.cover(frameId);
          if (!("tool" in message)) throw new Error("only tools are asked for");
          this.asked.push({ ...message, frameId });
          return this.answer(frameId, message);
        },
        tell: (_tab, message, frameId) =>
          void this.told.push({ ...message, ...(frameId !== undefined && { frameId }) }),
      },
      camera: paced({
        take: () => chrome.tabs.captureVisibleTab(),
        shrink: async () => ({ mimeType: "image/png", data: "AAAA", width: 800, height: 600 }),
      }),
      policy: async () => this.policy,
      captureTab: async (tabId) => ({ ok: true, capture: this.#capture(tabId) }),
      pageStateOf: async () => this.pageState,
    };
  }

  #capture(tabId: number) {
    const counts = { bytes: 9, budget: 65_536, nodesSeen: 1, nodesSent: 1, frames: 1, framesUnreadable: 0 };
    const snapshot = { v: 1, capturedAt: 1, tabId, url: PAGE, path: "/", title: "", ax: null } as const;
    return {
      snapshot: { ...snapshot, api: this.api, truncated: false },
      report: { ...counts, redacted: [] },
      selection: false,
    };
  }
}

/** The stage of the test that runs; waiting for a reaction takes real time, everything else what the test says. */
export let stage: Stage;

/** Registers the hooks that give each test a stage of its own. */
export function useStage(): void {
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    stage = new Stage();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}
