/**
 * The extension's side of host tools: tells the worker what there is, takes its calls, and gives each exactly one answer.
 *
 * A call counts only with the scope that came before it (decision 12). It ends when the worker cancels it, when its turn
 * ends or is stopped, and when the connection breaks; in the first and the last case nobody waits for an answer.
 */
import type { BrowserFrame, HostToolCall, HostToolCancel, HostToolScope, WorkerFrame } from "../contract/types";
import { Badge } from "./badge";
import { type ConsentDesk, Consents } from "./consent";
import { ToolError, toldOf } from "./errors";
import { Guard, type Job, type TurnPage } from "./guard";
import { isStopPressed } from "./messages";
import { bounded } from "./result";
import { type Block, type PageTool, type PageWorld, text } from "./tool";
import { registration, toolNamed } from "./tools";

/** At once; the worker has the same limit. */
const RUNNING_MAX = 8;
/** Scopes whose call has not come yet. */
const SCOPES_MAX = 64;

/** The frames that are about host tools. */
export type HostToolFrame = Extract<
  WorkerFrame,
  | { type: "host_tool_call" }
  | { type: "host_tool_cancel" }
  | { type: "host_tool_scope" }
  | { type: "set_host_tools_ack" }
  | { type: "set_host_tools_error" }
>;

/** What host tools need from the rest of the service worker. */
export interface HostToolsDesk extends ConsentDesk {
  send(frame: BrowserFrame): boolean;
  /** A turn that runs and was asked here. */
  turn(id: string): TurnPage | undefined;
  moved(turn: string, origin: string): void;
  /** The person pressed Stop in the page. */
  stop(turn: string): void;
}

interface Running {
  job: Job;
  life: AbortController;
  /** Nobody waits for its answer any more. */
  muted: boolean;
}

/** All calls under way. */
export class HostTools {
  readonly consents: Consents;
  readonly #desk: HostToolsDesk;
  readonly #world: PageWorld;
  readonly #badge: Badge;
  readonly #guard: Guard;
  readonly #scopes = new Map<string, HostToolScope>();
  readonly #running = new Map<string, Running>();
  /** The end of the last act of each turn: acts keep their order. */
  readonly #lastAct = new Map<string, Promise<void>>();
  /** Tabs on which a turn has drawn. */
  readonly #drawn = new Map<string, Set<number>>();

  constructor(world: PageWorld, desk: HostToolsDesk) {
    this.#desk = desk;
    this.#world = world;
    this.#badge = new Badge(world.frames);
    this.consents = new Consents(desk);
    this.#guard = new Guard(world, this.consents, {
      turn: (id) => desk.turn(id),
      moved: (turn, origin) => desk.moved(turn, origin),
      waits: ({ id, callId, tabId }) => {
        this.#badge.waits(id, tabId);
        this.#update(callId, "waiting for the person");
      },
      allowed: ({ id }) => this.#badge.ends(id),
      acts: ({ id, tabId }) => this.#badge.acts(id, tabId),
      queued: ({ callId }) => this.#update(callId, "waiting for the action before it"),
    });
  }

  /** There is a connection: the worker learns what there is. */
  linkReady(): void {
    this.#desk.send(registration());
  }

  /** The connection broke: its calls are over, and the next one has calls of its own. */
  linkLost(): void {
    this.#scopes.clear();
    for (const running of [...this.#running.values()]) end(running, "muted");
  }

  /** A panel shows the conversation of a tab, perhaps instead of another one. */
  panelShows(tabId: number | undefined): void {
    this.consents.panelLeft();
    if (tabId !== undefined) this.#badge.seen(tabId);
  }

  /** A frame about host tools arrived. */
  frame(frame: HostToolFrame): void {
    switch (frame.type) {
      case "host_tool_scope":
        return this.#scope(frame);
      case "host_tool_call":
        return this.#call(frame);
      case "host_tool_cancel":
        return this.#cancel(frame);
      default:
        // Whether the set was taken changes nothing here: the worker logs why not, and calls what it has taken.
        return;
    }
  }

  /** A turn is over, whoever ended it. */
  turnEnded(turn: string): void {
    for (const running of [...this.#running.values()]) if (running.job.turn === turn) end(running);
    this.consents.turnEnded(turn);
    this.#lastAct.delete(turn);
    for (const tabId of this.#drawn.get(turn) ?? []) this.#world.frames.tell(tabId, { kind: "sidewire-tool-clear" });
    this.#drawn.delete(turn);
  }

  /** A message came from a content script: perhaps the Stop button of the badge in the page that is acted on. */
  message(message: unknown, sender: chrome.runtime.MessageSender): void {
    if (!isStopPressed(message) || sender.id !== chrome.runtime.id || sender.frameId !== 0) return;
    const pressed = [...this.#running.values()].find(({ job }) => job.id === message.call);
    if (pressed !== undefined && sender.tab?.id === pressed.job.tabId) this.#desk.stop(pressed.job.turn);
  }

  #scope(scope: HostToolScope): void {
    const [oldest] = this.#scopes.keys();
    if (this.#scopes.size >= SCOPES_MAX && oldest !== undefined) this.#scopes.delete(oldest);
    this.#scopes.set(scope.callId, scope);
  }

  #call(frame: HostToolCall): void {
    const scope = this.#scopes.get(frame.id);
    this.#scopes.delete(frame.id);
    // The same call once more: its one answer is on the way.
    if (this.#running.has(frame.id)) return;
    void this.#answer(frame, scope);
  }

  #cancel({ targetId }: HostToolCancel): void {
    this.#scopes.delete(targetId);
    const running = this.#running.get(targetId);
    if (running !== undefined) end(running, "muted");
  }

  async #answer(frame: HostToolCall, scope: HostToolScope | undefined): Promise<void> {
    const tool = toolNamed(frame.toolName);
    if (tool === undefined) return this.#refuse(frame.id, text(`Unknown host tool: ${frame.toolName}`));
    if (scope === undefined || !this.#isOurs(scope)) return this.#fail(frame.id, new ToolError("unscoped"));
    if (this.#running.size >= RUNNING_MAX) return this.#fail(frame.id, new ToolError("busy"));
    const { running, over } = this.#begin(frame, scope, tool);
    try {
      const blocks = await this.#guard.run(tool, running.job);
      if (!running.muted) this.#desk.send({ type: "host_tool_result", id: frame.id, result: bounded(blocks) });
    } catch (error) {
      if (!running.muted) this.#fail(frame.id, error);
      if (error instanceof ToolError && error.code === "consent-unavailable") this.#badge.calls(scope.tabId);
    } finally {
      over();
    }
  }

  /** The scope names a turn that was asked here, in its own conversation and about its own tab. */
  #isOurs({ chatId, conversation, tabId }: HostToolScope): boolean {
    const page = this.#desk.turn(chatId);
    if (page === undefined || page.tabId !== tabId) return false;
    return page.conversationId === undefined || page.conversationId === conversation;
  }

  #begin(frame: HostToolCall, { chatId, tabId }: HostToolScope, tool: PageTool): { running: Running; over(): void } {
    const life = new AbortController();
    const before = this.#lastAct.get(chatId) ?? Promise.resolve();
    const id = crypto.randomUUID();
    const job: Job = {
      id,
      callId: frame.id,
      turn: chatId,
      tabId,
      arguments: frame.arguments,
      signal: life.signal,
      before,
    };
    const running: Running = { job, life, muted: false };
    this.#running.set(frame.id, running);
    const done = tool.does === "act" ? this.#follow(chatId, before) : () => undefined;
    if (tool.does === "show") this.#drawn.set(chatId, new Set([...(this.#drawn.get(chatId) ?? []), tabId]));
    const over = (): void => {
      this.#running.delete(frame.id);
      done();
      this.#badge.ends(id);
      this.#world.frames.tell(tabId, { kind: "sidewire-tool-end", call: id });
    };
    return { running, over };
  }

  /** Takes a place in the order of a turn's acts; the result gives it up. */
  #follow(turn: string, before: Promise<void>): () => void {
    let done = (): void => {};
    const own = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#lastAct.set(
      turn,
      before.then(() => own),
    );
    return done;
  }

  #update(id: string, progress: string): void {
    this.#desk.send({ type: "host_tool_update", id, partialResult: { content: text(progress) } });
  }

  #fail(id: string, error: unknown): void {
    this.#refuse(id, text(toldOf(error)));
  }

  #refuse(id: string, blocks: Block[]): void {
    this.#desk.send({ type: "host_tool_result", id, result: bounded(blocks), isError: true });
  }
}

function end(running: Running, muted?: "muted"): void {
  running.muted ||= muted !== undefined;
  running.life.abort();
}
