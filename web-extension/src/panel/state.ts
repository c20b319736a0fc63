/**
 * What the panel shows, as a pure function of what the service worker said.
 *
 * It holds no timers and calls no browser function; everything that can be rebuilt from a `conversation` event is.
 */
import type { ConversationView, Link, PageChip, PanelEvent, Preview, TurnView } from "../bridge/panel-port";
import { answerConsent, type Consents, NO_CONSENTS, replaceConsents } from "./consents";

type NotSentReason = Extract<PanelEvent, { kind: "not-sent" }>["reason"];

/** Things that happen inside the panel and change what it shows. */
export type LocalEvent =
  | { kind: "port-open" }
  | { kind: "port-lost" }
  /** A question was handed to the service worker, which may die before it wrote it down. */
  | { kind: "sending"; text: string }
  /** The person pressed Stop; what arrives later for that turn no longer counts. */
  | { kind: "stopping"; turn: string }
  /** The person answered a consent card. */
  | { kind: "consent-answered"; id: string }
  | { kind: "sync-sent" }
  | { kind: "pinned"; preview: Preview }
  | { kind: "unpinned" }
  /** The person pressed Enter while the conversation is still answering. */
  | { kind: "busy" }
  | { kind: "notice-closed" }
  | { kind: "incoming-taken" };

/** Signs of life of the turn that is running. */
export interface Pulse {
  turn: string;
  /** When text, a tool or a keepalive last arrived. */
  aliveAt: number;
  /** When text last arrived. */
  textAt: number;
}

/** A snapshot that was looked at and will be sent as it is. */
export interface Pin {
  token: string;
  bytes: number;
  tabId: number;
  url: string;
}

/** Text that has to get into the composer from outside. */
export interface Incoming {
  text: string;
  /** Put back what could not be sent, or offered by the page's context menu. */
  source: "not-sent" | "page";
}

/** Everything the panel needs to draw itself. */
export interface PanelState {
  link: Link;
  /** Since when the port to the service worker is gone; null while it is there. */
  portLostAt: number | null;
  page: PageChip | null;
  conversation: ConversationView;
  /** Counts changes to another conversation; the same one that received its id does not count. */
  serial: number;
  /** False until the service worker said what to show. */
  loaded: boolean;
  pulse: Pulse | null;
  consents: Consents;
  /** Another conversation waits for the person. */
  elsewhere: boolean;
  notSent: NotSentReason | null;
  incoming: Incoming | null;
  /** The text of a question of which it is not known yet whether it was sent. */
  sending: string | null;
  pin: Pin | null;
  /** A delta did not fit: the panel's picture is stale and a `sync` is due. */
  outOfStep: boolean;
  /** The turn that ended last while it was watched, for the announcement. */
  ended: TurnView | null;
}

/** The state of a panel that has heard nothing yet. */
export function initialState(): PanelState {
  return {
    link: { state: "connecting" },
    portLostAt: null,
    page: null,
    conversation: { key: "", title: "", mode: "educational", turns: [], ephemeral: false },
    serial: 0,
    loaded: false,
    pulse: null,
    consents: NO_CONSENTS,
    elsewhere: false,
    notSent: null,
    incoming: null,
    sending: null,
    pin: null,
    outOfStep: false,
    ended: null,
  };
}

/** The turn that is being answered, if any. */
export function runningTurn(conversation: ConversationView): TurnView | null {
  return conversation.turns.findLast((turn) => turn.state === "running") ?? null;
}

/** The state after an event that happened at `now`. */
export function reduce(state: PanelState, event: PanelEvent | LocalEvent, now: number): PanelState {
  // What is said about another conversation was on its way when this one was shown.
  if ("key" in event && event.key !== state.conversation.key) return state;
  switch (event.kind) {
    case "link":
      return { ...state, link: event.link };
    case "page":
      return { ...state, page: event.page, pin: stillPinned(state.pin, event.page) };
    case "conversation":
      return showConversation(state, event.conversation, now);
    case "turn":
      return placeTurn(state, event.turn, now);
    case "delta":
      return appendDelta(state, event, now);
    case "alive":
      return { ...state, pulse: beat(state.pulse, event.turn, now) };
    case "older":
      return { ...state, conversation: prependTurns(state.conversation, event) };
    case "consents":
      return { ...state, consents: replaceConsents(state.consents, event.cards) };
    case "elsewhere":
      return { ...state, elsewhere: event.waits };
    case "sent":
      return { ...state, sending: null };
    case "not-sent":
      return takeBack({ ...state, notSent: event.reason }, event.text);
    case "draft":
      return { ...state, incoming: { text: event.text, source: "page" } };
    case "reply":
    case "refused":
      return state;
    default:
      return reduceLocal(state, event, now);
  }
}

function reduceLocal(state: PanelState, event: LocalEvent, now: number): PanelState {
  switch (event.kind) {
    case "port-open":
      return { ...state, portLostAt: null };
    case "port-lost":
      // Whatever waited for an answer waits no more, or is listed again when the port is back.
      return takeBack(
        { ...state, portLostAt: state.portLostAt ?? now, consents: NO_CONSENTS, elsewhere: false },
        state.sending,
      );
    case "sending":
      return { ...state, sending: event.text };
    case "stopping":
      return {
        ...state,
        conversation: mapTurn(state.conversation, event.turn, (turn) => ({ ...turn, stopping: true })),
      };
    case "consent-answered":
      return { ...state, consents: answerConsent(state.consents, event.id) };
    case "sync-sent":
      return { ...state, outOfStep: false };
    case "pinned":
      return { ...state, pin: pinOf(event.preview) };
    case "unpinned":
      return { ...state, pin: null };
    case "busy":
      return { ...state, notSent: "session-busy" };
    case "notice-closed":
      return { ...state, notSent: null };
    case "incoming-taken":
      return { ...state, incoming: null };
  }
}

/** The text of a question that was not asked goes back into the composer. */
function takeBack(state: PanelState, text: string | null): PanelState {
  if (text === null) return state;
  return { ...state, sending: null, incoming: { text, source: "not-sent" } };
}

function showConversation(state: PanelState, conversation: ConversationView, now: number): PanelState {
  const running = runningTurn(conversation);
  const same = state.loaded && state.conversation.key === conversation.key;
  const before = same ? runningTurn(state.conversation) : null;
  const after = conversation.turns.find((turn) => turn.id === before?.id);
  return {
    ...state,
    conversation,
    serial: same ? state.serial : state.serial + 1,
    loaded: true,
    outOfStep: false,
    notSent: same ? state.notSent : null,
    pin: same ? state.pin : null,
    consents: same ? state.consents : NO_CONSENTS,
    pulse: running === null ? null : beat(state.pulse, running.id, now),
    ended: after !== undefined && after.state !== "running" ? after : state.ended,
  };
}

function placeTurn(state: PanelState, turn: TurnView, now: number): PanelState {
  const { turns } = state.conversation;
  const index = turns.findLastIndex((known) => known.id === turn.id);
  const next = index < 0 ? [...turns, turn] : turns.with(index, turn);
  const wasRunning = index >= 0 && turns[index]?.state === "running";
  const runs = turn.state === "running";
  return {
    ...state,
    conversation: { ...state.conversation, turns: next },
    pulse: runs ? beat(state.pulse, turn.id, now) : endPulse(state.pulse, turn.id),
    notSent: index < 0 || (!runs && state.notSent === "session-busy") ? null : state.notSent,
    ended: wasRunning && !runs ? turn : state.ended,
  };
}

/**
 * Text is appended only where it belongs. What the panel already has is ignored (a resend), what leaves a gap makes
 * the panel ask for the whole conversation instead of showing an answer with a hole in it.
 */
function appendDelta(state: PanelState, event: Extract<PanelEvent, { kind: "delta" }>, now: number): PanelState {
  const turn = state.conversation.turns.findLast((known) => known.id === event.turn);
  if (turn === undefined) return { ...state, outOfStep: true };
  if (turn.state !== "running" || turn.stopping === true) return state;
  const overlap = turn.text.length - event.at;
  if (overlap < 0) return { ...state, outOfStep: true };
  if (overlap > 0) {
    const known = turn.text.startsWith(event.text.slice(0, overlap), event.at);
    return known && overlap >= event.text.length ? state : { ...state, outOfStep: true };
  }
  return {
    ...state,
    conversation: mapTurn(state.conversation, turn.id, (same) => ({ ...same, text: same.text + event.text })),
    pulse: { turn: turn.id, aliveAt: now, textAt: now },
  };
}

function mapTurn(conversation: ConversationView, id: string, change: (turn: TurnView) => TurnView): ConversationView {
  const index = conversation.turns.findLastIndex((turn) => turn.id === id);
  const turn = conversation.turns[index];
  return turn === undefined ? conversation : { ...conversation, turns: conversation.turns.with(index, change(turn)) };
}

function prependTurns(conversation: ConversationView, page: Extract<PanelEvent, { kind: "older" }>): ConversationView {
  const known = new Set(conversation.turns.map((turn) => turn.id));
  const { before: _replaced, ...rest } = conversation;
  const turns = [...page.turns.filter((turn) => !known.has(turn.id)), ...conversation.turns];
  return page.before === undefined ? { ...rest, turns } : { ...rest, turns, before: page.before };
}

function beat(pulse: Pulse | null, turn: string, now: number): Pulse {
  return { turn, aliveAt: now, textAt: pulse?.turn === turn ? pulse.textAt : now };
}

function endPulse(pulse: Pulse | null, turn: string): Pulse | null {
  return pulse?.turn === turn ? null : pulse;
}

function pinOf(preview: Preview): Pin {
  const { tabId, url } = preview.snapshot;
  return { token: preview.token, bytes: preview.report.bytes, tabId, url };
}

/** A pin holds for the document it was taken from, never for another tab or address. */
function stillPinned(pin: Pin | null, page: PageChip): Pin | null {
  if (pin === null || page.state !== "readable") return null;
  return page.tabId === pin.tabId && withoutQuery(page.url) === withoutQuery(pin.url) ? pin : null;
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}
