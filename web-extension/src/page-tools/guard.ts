/**
 * The one path of every call: the turn runs and shares its page → the tab still shows that site → policy → for acts the
 * person → again the turn, the tab and policy → the tool.
 *
 * What a tool does is its own business; who called it, and how its answer travels, is `host-tools.ts`'s.
 */
import { isRestricted } from "../capture/restricted";
import type { Consents } from "./consent";
import { ToolError } from "./errors";
import { limited } from "./limited";
import { demandAllowed, type Policy } from "./policy";
import { faultOf } from "./schema";
import type { ActingTool, Aim, Block, PageTool, PageWorld, ToolCall } from "./tool";

/** Where a tool does not say otherwise. */
const TIMEOUT_MS = 15_000;
/** The worker hears of a call that waits this often, so that its deadline does not run out. */
const UPDATE_MS = 30_000;
/** The worker's own limit for a call comes first. */
const ORDER_MAX_MS = 600_000;

/** A running question of this browser, as far as page tools are concerned. */
export interface TurnPage {
  turn: string;
  /** Our key of the conversation. */
  conversation: string;
  /** The worker's name of it, once known. */
  conversationId?: string;
  /** The tab the question was asked about. */
  tabId: number;
  /** The tab the conversation is about now. */
  tabNow: number | undefined;
  /** Origin of the page that the person shared with the question; null where it could not be told, absent when they did not. */
  origin?: string | null;
}

/** What the path needs to know and to tell. */
export interface GuardDesk {
  /** The turn, while it runs; undefined when it is over, stopped, or not ours. */
  turn(id: string): TurnPage | undefined;
  /** The page of a turn went to another origin of the same site by our own doing. */
  moved(turn: string, origin: string): void;
  /** It is known what the call would act on, and whether that is a secret field. */
  aimed(job: Job, secret: boolean): void;
  /** The call waits for the person: said at once, and again every 30 s. */
  waits(job: Job): void;
  /** The person looks at the question about it now; the frame is where it acts. */
  shown(job: Job, frameId: number): void;
  /** The call is allowed. */
  allowed(job: Job): void;
  /** The call is allowed, and waits for the acts before it: said every 30 s. */
  queued(job: Job): void;
  /** The call begins to act. */
  acts(job: Job): void;
}

/** A call on its way. */
export interface Job {
  /** Our own name of the call, which pages cannot guess. */
  id: string;
  /** The worker's name of it. */
  callId: string;
  /** The model's name of it, under which a person sees it. */
  toolCallId: string;
  turn: string;
  tabId: number;
  arguments: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
  /** Settles when the acts of the same turn that came before this one are over: they keep their order. */
  before: Promise<void>;
}

interface Admitted {
  page: TurnPage;
  url: URL;
  windowId: number;
  policy: Policy;
}

/** Runs calls along the path. */
export class Guard {
  readonly #world: PageWorld;
  readonly #consents: Consents;
  readonly #desk: GuardDesk;

  constructor(world: PageWorld, consents: Consents, desk: GuardDesk) {
    this.#world = world;
    this.#consents = consents;
    this.#desk = desk;
  }

  /** Runs a call and gives its result, or fails with a `ToolError`. */
  async run(tool: PageTool, job: Job): Promise<Block[]> {
    const fault = faultOf(tool.parameters, job.arguments);
    if (fault !== null) throw new ToolError("bad-arguments", fault);
    const admitted = await this.#admit(job);
    if (tool.does === "act") return this.#act(tool, job, admitted);
    const milliseconds = tool.timeoutMs?.(job.arguments) ?? TIMEOUT_MS;
    const blocks = await limited(job.signal, milliseconds, (signal) => tool.run(this.#call(job, admitted.url, signal)));
    // What was read while the tab went elsewhere is not for this turn.
    await this.#admit(job);
    return blocks;
  }

  async #act(tool: ActingTool, job: Job, first: Admitted): Promise<Block[]> {
    const aim = await limited(job.signal, TIMEOUT_MS, (signal) => tool.aim(this.#call(job, first.url, signal)));
    this.#desk.aimed(job, aim.secret);
    await this.#askPerson(tool, job, { ...first, aim });
    await this.#inOrder(job);
    const { url } = await this.#admit(job);
    if (url.origin !== first.url.origin) throw new ToolError("tab-moved");
    this.#desk.acts(job);
    const milliseconds = tool.timeoutMs?.(job.arguments) ?? TIMEOUT_MS;
    return limited(job.signal, milliseconds, (signal) => tool.run(this.#call(job, url, signal), aim));
  }

  async #askPerson(
    tool: ActingTool,
    job: Job,
    { page, windowId, policy, aim }: Admitted & { aim: Aim },
  ): Promise<void> {
    const { conversation, turn } = page;
    const wish = { conversation, turn, windowId, action: aim.action ?? tool.action, aim };
    await this.#consents.demand(wish, policy, {
      signal: job.signal,
      still: () => this.#desk.waits(job),
      shown: () => this.#desk.shown(job, aim.frameId),
    });
    this.#desk.allowed(job);
  }

  /** The acts of a turn happen in the order in which they were called, however long a person thinks about one of them. */
  async #inOrder(job: Job): Promise<void> {
    const updates = setInterval(() => this.#desk.queued(job), UPDATE_MS);
    await limited(job.signal, ORDER_MAX_MS, () => job.before).finally(() => clearInterval(updates));
  }

  /** Lets a call in, or in again, if everything is still as it was when the question was asked. */
  async #admit({ turn, tabId, signal }: Job): Promise<Admitted> {
    if (signal.aborted) throw new ToolError("cancelled");
    const page = this.#desk.turn(turn);
    if (page === undefined) throw new ToolError("unscoped");
    if (page.origin === undefined) throw new ToolError("page-not-shared");
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    if (tab === undefined) throw new ToolError("page-gone");
    if (page.tabNow !== tabId) throw new ToolError("tab-moved");
    const url = tab.url === undefined ? null : URL.parse(tab.url);
    if (url === null || page.origin === null || isRestricted(url.href)) throw new ToolError("unreadable-page");
    if (url.origin !== page.origin) throw new ToolError("tab-moved");
    const policy = await this.#world.policy();
    demandAllowed(policy, url);
    if (signal.aborted) throw new ToolError("cancelled");
    return { page, url, windowId: tab.windowId, policy };
  }

  #call(job: Job, url: URL, signal: AbortSignal): ToolCall {
    return {
      id: job.id,
      tabId: job.tabId,
      arguments: job.arguments,
      signal,
      world: this.#world,
      url,
      moved: (origin) => this.#desk.moved(job.turn, origin),
    };
  }
}
