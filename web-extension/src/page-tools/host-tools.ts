/**
 * The extension's side of host tools: tells the worker what there is, takes its calls, and gives each exactly one answer.
 *
 * A call counts only with the scope that came before it (decision 12). It ends when the worker cancels it, when its turn
 * ends or is stopped, and when the connection breaks; in the first and the last case nobody waits for an answer.
 */
import type {
  BrowserFrame,
  HostToolCall,
  HostToolCancel,
  HostToolResult,
  HostToolScope,
  WorkerFrame,
} from "../contract/types";
import { Badge } from "./badge";
import { type ConsentDesk, Consents } from "./consent";
import { ToolError, toldOf } from "./errors";
import { Guard, type Job, type TurnPage } from "./guard";
import { isStopPressed } from "./messages";
import { bounded } from "./result";
import { SecretCalls } from "./secret-calls";
import { type Block, type PageTool, type PageWorld, text } from "./tool";
import { registration, toolNamed } from "./tools";

/** At once of one turn, those that wait for the person aside. */
const RUNNING_MAX = 8;
/** In all, whatever they wait for: more come from a fault, not from a need. */
const CALLS_MAX = 64;
/** Scopes whose call has not come yet. */
const SCOPES_MAX = 64;

/** The frames that are about host tools. */
export type HostToolFrame = Extract<
  WorkerFrame,
  { type: "host_tool_call" } | { type: "host_tool_cancel" } | { type: "host_tool_scope" }
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
  /** It waits for the person. */
  waits: boolean;
  /** Nobody waits for its answer any more. */
  muted: boolean;
}

/** All calls under way. */
export class HostTools {
  readonly consents: Consents;
  /** What was typed into secret fields, for those who show calls. */
  readonly secrets = new SecretCalls();
  readonly #desk: HostToolsDesk;
  readonly #world: PageWorld;
  readonly #badge: Badge;
  readonly #guard: Guard;
  readonly #scopes = new Map<string, HostToolScope>();
  readonly #running = new Map<string, Running>();
  /** The end of the last act of each turn: acts keep their order. */
  readonly #lastAct = new Map<string, Promise<void>>();
  /** The tabs of turns that have drawn there. */
  readonly #drawn = new Map<string, number>();

  constructor(world: PageWorld, desk: HostToolsDesk) {
    this.#desk = desk;
    this.#world = world;
    this.#badge = new Badge(world.frames);
    this.consents = new Consents(desk);
    this.#guard = new Guard(world, this.consents, {
      turn: (id) => desk.turn(id),
      moved: (turn, origin) => desk.moved(turn, origin),
      aimed: ({ turn, toolCallId }, secret) => this.secrets.note(turn, toolCallId, secret),
      waits: (job) => this.#waits(job),
      shown: ({ id, tabId }, frameId) => world.frames.tell(tabId, { kind: "sidewire-tool-show", call: id }, frameId),
      allowed: (job) => this.#allowed(job),
      acts: ({ turn, tabId }) => this.#badge.acts(turn, tabId),
      queued: ({ callId }) => this.#update(callId, "toolWaitsForOrder"),
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
    }
  }

  /** A question is asked about a tab: what the one before has drawn there was for its answer. */
  turnBegan(tabId: number): void {
    this.#world.frames.tell(tabId, { kind: "sidewire-tool-clear" });
  }

  /** A turn is over, whoever ended it. What it has drawn stays for its time, unless the person stopped it. */
  turnEnded(turn: string, stopped: boolean): void {
    for (const running of [...this.#running.values()]) if (running.job.turn === turn) end(running);
    this.consents.turnEnded(turn);
    this.#badge.turnEnded(turn);
    this.#lastAct.delete(turn);
    const drawn = this.#drawn.get(turn);
    this.#drawn.delete(turn);
    if (stopped && drawn !== undefined) this.#world.frames.tell(drawn, { kind: "sidewire-tool-clear" });
  }

  /** Another tab is in front of a window. */
  tabInFront(): void {
    this.#badge.tabInFront();
  }

  /** A tab has loaded another document. */
  tabLoaded(tabId: number): void {
    this.#badge.tabLoaded(tabId);
  }

  /** A message came from a content script: perhaps the Stop button of the badge in the page that is acted on. */
  message(message: unknown, sender: chrome.runtime.MessageSender): void {
    if (!isStopPressed(message) || sender.id !== chrome.runtime.id || sender.frameId !== 0) return;
    const turn = this.#badge.turnOf(message.call, sender.tab?.id);
    if (turn !== undefined) this.#desk.stop(turn);
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
    if (this.#isBusy(scope.chatId)) return this.#fail(frame.id, new ToolError("busy"));
    const { running, over } = this.#begin(frame, scope, tool);
    try {
      const blocks = await this.#guard.run(tool, running.job);
      const result = this.#output(blocks, running.job);
      if (!running.muted) this.#desk.send({ type: "host_tool_result", id: frame.id, result });
    } catch (error) {
      if (!running.muted) this.#fail(frame.id, error, running.job);
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

  #isBusy(turn: string): boolean {
    const working = [...this.#running.values()].filter(({ job, waits }) => job.turn === turn && !waits);
    return working.length >= RUNNING_MAX || this.#running.size >= CALLS_MAX;
  }

  #waits({ id, callId, tabId }: Job): void {
    const running = this.#running.get(callId);
    if (running !== undefined) running.waits = true;
    this.#badge.waits(id, tabId);
    this.#update(callId, "toolWaitsForPerson");
  }

  #allowed({ id, callId }: Job): void {
    this.#badge.waited(id);
    const running = this.#running.get(callId);
    if (running?.waits !== true) return;
    running.waits = false;
    this.#update(callId, "toolAllowed");
  }

  #begin(frame: HostToolCall, { chatId, tabId }: HostToolScope, tool: PageTool): { running: Running; over(): void } {
    const life = new AbortController();
    const before = this.#lastAct.get(chatId) ?? Promise.resolve();
    const id = crypto.randomUUID();
    const job: Job = {
      id,
      callId: frame.id,
      toolCallId: frame.toolCallId,
      turn: chatId,
      tabId,
      arguments: frame.arguments,
      signal: life.signal,
      before,
    };
    const running: Running = { job, life, waits: false, muted: false };
    this.#running.set(frame.id, running);
    const done = tool.does === "act" ? this.#follow(chatId, before) : () => undefined;
    if (tool.does === "show") this.#drawn.set(chatId, tabId);
    const over = (): void => {
      this.#running.delete(frame.id);
      done();
      this.#badge.waited(id);
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

  /** What a person reads in the row of the call. */
  #update(id: string, message: string): void {
    const partialResult = this.#output(text(chrome.i18n.getMessage(message)), this.#running.get(id)?.job);
    this.#desk.send({ type: "host_tool_update", id, partialResult });
  }

  #fail(id: string, error: unknown, job?: Job): void {
    this.#refuse(id, text(toldOf(error)), job);
  }

  #refuse(id: string, blocks: Block[], job?: Job): void {
    this.#desk.send({ type: "host_tool_result", id, result: this.#output(blocks, job), isError: true });
  }

  /** What a call gave; of a secret in its arguments the worker hears, so that it keeps and shows none. */
  #output(blocks: Block[], job: Job | undefined): HostToolResult["result"] {
    const secret = job !== undefined && this.secrets.holds(job.turn, job.toolCallId);
    return { ...bounded(blocks), ...(secret && { details: { secretInput: true } }) };
  }
}

function end(running: Running, muted?: "muted"): void {
  running.muted ||= muted !== undefined;
  running.life.abort();
}
