/**
 * The service worker's one owner of state: connection, turns, conversations and panels, wired to each other.
 *
 * What a panel asks for is done by `panel-commands.ts` and `panel-requests.ts`; what the browser reports by
 * `browser-events.ts`. This file only carries news from one owner to the other.
 */
import type { ConversationTranscript, TurnAccepted, TurnSnapshot, WorkerFrame } from "../contract/types";
import type { PageEyes } from "../page-tools/eyes";
import { forgetConversationGrants } from "../page-tools/grants-store";
import { HostTools } from "../page-tools/host-tools";
import { within } from "../shared/within";
import { loadClient } from "./client";
import { type Conversation, Conversations, putTurn, viewOf } from "./conversations";
import { faultOfBridgeError } from "./faults";
import { forgetClosedIncognito } from "./incognito";
import { LinkKeeper } from "./link";
import { MediaReads } from "./media-reads";
import { type PageReader, pageChip } from "./page";
import { pageDesk } from "./page-desk";
import type { Link, TurnView } from "./panel-port";
import { type Panel, Panels } from "./panels";
import { Places } from "./places";
import { Requests } from "./requests";
import { isGuessed, mergedTurns } from "./transcript";
import { Turns } from "./turns";

/** A request made while the connection is being established waits this long for it. */
const CONNECT_WAIT_MS = 5_000;

/** A conversation that takes longer than this to be read is shown as far as it is known. */
const READ_WAIT_MS = 2_000;

/** Everything the service worker holds. */
export class Bridge {
  readonly reader: PageReader;
  readonly panels = new Panels();
  readonly places = new Places();
  readonly conversations = new Conversations((key) => {
    forgetConversationGrants(key).catch(() => undefined);
  });
  readonly requests = new Requests((frame) => this.link.send(frame));
  readonly media = new MediaReads((frame) => this.link.send(frame));
  readonly tools: HostTools;
  readonly link = new LinkKeeper(loadClient, {
    changed: (link) => {
      for (const panel of this.panels.all()) panel.post({ kind: "link", link });
    },
    ready: () => this.#ready(),
    lost: (unresponsive) => {
      this.requests.closed();
      this.media.closed();
      this.tools.linkLost();
      this.turns.linkLost(unresponsive);
    },
    failed: () => this.turns.linkFailed(),
    frame: (frame) => this.#frame(frame),
    garbled: ({ tag, turn }) => {
      if (turn === undefined) return;
      if (tag === "chat_error" || tag === "chat_done") this.turns.unreadableEnd(turn);
      else if (tag === "chat_delta") this.turns.unreadableText(turn);
    },
  });
  readonly turns = new Turns({
    send: (frame) => this.link.send(frame),
    connected: () => this.link.isReady,
    nextTryAt: () => nextTryOf(this.link.link),
    changed: (key, view) => this.#turnChanged(key, view),
    text: (key, view, added) => {
      const conversation = this.#put(key, this.tools.secrets.masked(view));
      if (conversation === undefined) return;
      for (const panel of this.panels.showing(conversation)) panel.gather(view.id, added.at, added.text);
    },
    alive: (key, turn) => {
      const conversation = this.conversations.get(key);
      if (conversation === undefined) return;
      for (const panel of this.panels.showing(conversation)) panel.post({ kind: "alive", key, turn });
    },
    ended: (turn, stopped) => this.tools.turnEnded(turn, stopped),
    settled: () => this.rest(),
  });

  constructor(reader: PageReader, eyes: PageEyes) {
    this.reader = reader;
    const { captureTab } = reader;
    this.tools = new HostTools(
      { ...eyes, captureTab, pageStateOf: (tabId) => reader.pageStateOf(tabId) },
      pageDesk(this),
    );
  }

  /** Picks up what a dead service worker left; nothing else is handled before. It never fails: what cannot be read is gone. */
  async restore(): Promise<void> {
    await forgetClosedIncognito().catch(() => undefined);
    await Promise.all([this.conversations.restore(), this.places.restore()]);
    await this.turns.restore();
    if (this.turns.size > 0) this.link.need();
  }

  /**
   * Shows a conversation in a panel. One that `hasPicture` of it, because it outlived the service worker, keeps that until
   * there is a better one, so that nothing flickers.
   */
  show(panel: Panel, conversation: Conversation, hasPicture = false): void {
    panel.discard();
    this.conversations.keep(conversation);
    panel.conversation = conversation;
    this.places.put(panel.place, conversation.key);
    if (conversation.loaded || !hasPicture) panel.post({ kind: "conversation", conversation: viewOf(conversation) });
    this.tellConsents(panel);
    if (!conversation.loaded) void this.#showWhenRead(panel, conversation);
    void this.refreshChip(panel);
    this.tools.panelShows(conversation.tabId);
  }

  /** Tells a panel which actions of its conversation wait for the person. */
  tellConsents(panel: Panel): void {
    const { key } = panel.conversation;
    panel.post({ kind: "consents", key, cards: this.tools.consents.cards(key) });
    this.tellElsewhere(panel);
  }

  /** Tells a panel whether another conversation of its window waits for the person. */
  tellElsewhere(panel: Panel): void {
    const waits = this.waitingElsewhere(panel) !== undefined;
    if (waits !== panel.elsewhere) panel.post({ kind: "elsewhere", waits });
    panel.elsewhere = waits;
  }

  /** The conversation that waits for the person where this panel could show it, and does not. */
  waitingElsewhere(panel: Panel): Conversation | undefined {
    const other = this.tools.consents
      .waiting()
      .find(({ conversation, windowId }) => panel.follows(windowId) && conversation !== panel.conversation.key);
    return this.conversations.get(other?.conversation ?? "");
  }

  /** A new, empty conversation about a tab. */
  fresh(tabId: number | undefined, mode: Conversation["mode"] = "educational"): Conversation {
    const conversation = this.conversations.create(mode);
    if (tabId !== undefined) this.conversations.bind(conversation, tabId);
    return conversation;
  }

  /** Tells every panel that shows a conversation how it is now. */
  tell(conversation: Conversation): void {
    for (const panel of this.panels.showing(conversation)) {
      panel.post({ kind: "conversation", conversation: viewOf(conversation) });
    }
  }

  /** Says anew which page the next question of a panel would carry. */
  async refreshChip(panel: Panel): Promise<void> {
    panel.looks += 1;
    const look = panel.looks;
    const page = await pageChip(panel.conversation, panel.frontTab, this.reader);
    if (panel.looks === look) panel.post({ kind: "page", page });
  }

  /** Reads a conversation from the worker, unless that was done; true when its turns are at hand. */
  async load(conversation: Conversation): Promise<boolean> {
    const { id } = conversation;
    if (conversation.loaded || id === undefined) return true;
    conversation.loading ??= this.#read(conversation, id).finally(() => {
      delete conversation.loading;
    });
    return conversation.loading;
  }

  /** Takes over a transcript; a turn that is at hand here is newer than the worker's record of it. */
  fill(conversation: Conversation, { conversation: item, turns: stored, before }: ConversationTranscript): void {
    const turns = stored.map((turn) => this.tools.secrets.masked(turn));
    const held = { turns: conversation.turns, runsHere: (turn: string) => this.turns.has(turn) };
    const merged = mergedTurns(held, turns);
    conversation.turns = merged.turns;
    if (before !== undefined && !merged.hasOlder) conversation.before = before;
    conversation.title = item.title;
    conversation.mode = item.mode;
    conversation.loaded = true;
    const url = turns.findLast((turn) => turn.page !== undefined)?.page?.url;
    const sessionKey = url === undefined ? null : this.reader.sessionKeyOf(url);
    if (conversation.sessionKey === undefined && sessionKey !== null) conversation.sessionKey = sessionKey;
    this.conversations.save();
    for (const turn of turns) if (turn.state === "running") this.turns.adopt(conversation.key, turn);
  }

  async #showWhenRead(panel: Panel, conversation: Conversation): Promise<void> {
    const read = this.settled().then(() => this.load(conversation));
    if (await within(READ_WAIT_MS, read, false)) return;
    if (panel.conversation === conversation) {
      panel.post({ kind: "conversation", conversation: viewOf(conversation) });
    }
  }

  async #read(conversation: Conversation, id: string): Promise<boolean> {
    const answered = await this.requests.ask({ type: "conversation_get", conversation: id });
    if (!answered.ok || answered.frame.type !== "conversation_transcript") return false;
    this.fill(conversation, answered.frame);
    this.tell(conversation);
    return true;
  }

  /** Waits a moment for a connection that is being made. */
  async settled(): Promise<void> {
    await this.link.settled(CONNECT_WAIT_MS);
  }

  /** Lets connection and memory go when nobody needs them. */
  rest(): void {
    if (this.panels.size === 0 && this.turns.size === 0) this.link.release();
    this.conversations.prune(
      (conversation) =>
        conversation.asking ||
        this.panels.showing(conversation).length > 0 ||
        this.places.isAwaited(conversation.key) ||
        conversation.turns.some((turn) => this.turns.has(turn.id)),
    );
  }

  #ready(): void {
    this.tools.linkReady();
    this.turns.linkReady();
    for (const panel of this.panels.all()) void this.load(panel.conversation);
  }

  #frame(frame: WorkerFrame): void {
    switch (frame.type) {
      case "turn_accepted":
      case "turn_snapshot":
        this.turns.frame(frame);
        this.#identify(frame);
        break;
      case "chat_delta":
      case "chat_done":
      case "chat_error":
      case "chat_keepalive":
      case "chat_media":
      case "tool_activity":
      case "turn_notice":
      case "turn_report":
        this.turns.frame(frame);
        break;
      case "host_tool_call":
      case "host_tool_cancel":
      case "host_tool_scope":
        this.tools.frame(frame);
        break;
      case "media_asset_chunk":
      case "media_asset_error":
        this.media.answered(frame);
        break;
      case "turn_unknown":
        this.turns.unknown(frame);
        break;
      case "bridge_error":
        if (faultOfBridgeError(frame) === null) this.turns.frameRefused();
        break;
      case "conversation_page":
      case "conversation_transcript":
      case "model_page":
      case "provider_found":
      case "pairing_page":
      case "request_done":
      case "request_error":
        this.requests.answered(frame);
        break;
      default:
        // Handshake frames belong to the transports; `chat_tool_notice` repeats `tool_activity` (N6, decision 13).
        break;
    }
  }

  #turnChanged(key: string, changed: TurnView): void {
    const view = this.tools.secrets.masked(changed);
    const conversation = this.#put(key, view);
    if (conversation === undefined) return;
    for (const panel of this.panels.showing(conversation)) panel.post({ kind: "turn", key, turn: view });
    if (conversation.id === undefined || !isGuessed(view)) return;
    // The worker's record is the truth; it is read as soon as there is a way to it.
    conversation.loaded = false;
    if (this.link.isReady) void this.load(conversation);
  }

  #put(key: string, view: TurnView): Conversation | undefined {
    const conversation = this.conversations.get(key);
    if (conversation !== undefined) putTurn(conversation, view);
    return conversation;
  }

  /** The worker named the conversation of a turn. */
  #identify(frame: TurnAccepted | TurnSnapshot): void {
    const turn = frame.type === "turn_accepted" ? frame.id : frame.turn.id;
    const conversation = this.conversations.ofTurn(turn);
    if (conversation === undefined) return;
    const title = frame.type === "turn_accepted" ? frame.title : conversation.title;
    if (conversation.id === frame.conversation && conversation.title === title) return;
    if (conversation.id !== undefined && conversation.id !== frame.conversation) {
      // The worker began another conversation (decision 15); earlier turns are not part of it.
      conversation.turns = conversation.turns.filter((known) => known.id === turn);
      delete conversation.before;
    }
    conversation.id = frame.conversation;
    conversation.title = title;
    this.conversations.save();
    this.tell(conversation);
  }
}

function nextTryOf(link: Link): number | undefined {
  return link.state === "reconnecting" || link.state === "down" ? link.nextTryAt : undefined;
}
