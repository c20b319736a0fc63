/**
 * Owner of every turn that is not over: sends it, feeds it frames, and decides what a broken connection means for it.
 *
 * Conversations and panels hear of it through events; the connection is only asked to send.
 */
import type { BrowserFrame, ChatErrorReason, TurnUnknown } from "../contract/types";
import { type InFlight, isStale, loadInFlight, removeInFlight, type SharedPage, saveInFlight } from "./in-flight";
import type { TurnView } from "./panel-port";
import { Stops } from "./stops";
import { failGenerically, type Reduced, reduceTurn, type TurnFrame, type TurnProgress, turnIdOf } from "./turn";

/** What turns need from the connection and tell to the rest. */
export interface TurnsEvents {
  send(frame: BrowserFrame): boolean;
  connected(): boolean;
  /** When the next attempt to connect starts, if one is planned. */
  nextTryAt(): number | undefined;
  /** The whole picture of a turn changed. */
  changed(conversation: string, view: TurnView): void;
  /** Text was added behind `at`; `view` already holds it. */
  text(conversation: string, view: TurnView, added: { at: number; text: string }): void;
  alive(conversation: string, turn: string): void;
  /** A turn is over: nothing may be done in its name any more. */
  ended(turn: string, stopped: boolean): void;
  /** A turn ended or was dropped; perhaps nothing runs any more. */
  settled(): void;
}

interface Track {
  conversation: string;
  /** Null for a turn that was running when its conversation was opened: it is only watched. */
  record: InFlight | null;
  progress: TurnProgress;
  /** When a frame of this turn last arrived, or it was sent. */
  heardAt: number;
  /** When a snapshot was asked for that has not come yet. */
  askedAt: number | null;
  /** Since when it is shown as failed, although it may still be saved. */
  suspendedAt: number | null;
  /** Text is missing; without a snapshot its end would hide the hole. */
  gap: boolean;
  /** The worker refused a frame of ours, perhaps the one with this question: asking again would not help. */
  doubted: boolean;
}

const TICK_MS = 5_000;
/** No frame of a turn for this long: ask for it (N11). Keepalives count, so a thinking model is never judged. */
const SILENCE_MS = 120_000;
/** A worker that does not answer a `resume` in this time does not answer at all. */
const ANSWER_MS = 15_000;
/** The worker keeps a turn going this long without us (decision 10). */
const GRACE_MS = 30_000;
/** `resume` names at most this many turns. */
const RESUME_MAX = 64;

/** Reasons that allow one automatic resend, each after the worker said that it does not know the turn (decision 11). */
const RESENDABLE: ReadonlySet<ChatErrorReason> = new Set([
  "bridge-disconnected",
  "bridge-unresponsive",
  "no-worker",
  "session-disposed",
]);

/** All turns under way. */
export class Turns {
  readonly #events: TurnsEvents;
  readonly #tracks = new Map<string, Track>();
  readonly #stops = new Stops();
  #timer: ReturnType<typeof setInterval> | undefined;
  #lost: { at: number; reason: ChatErrorReason };

  constructor(events: TurnsEvents) {
    this.#events = events;
    this.#lost = { at: Date.now(), reason: "bridge-disconnected" };
  }

  get size(): number {
    return this.#tracks.size + this.#stops.size;
  }

  has(id: string): boolean {
    return this.#tracks.has(id);
  }

  /** Reads what a dead service worker left behind; the pictures come back with `resume`. */
  async restore(): Promise<void> {
    await this.#stops.restore();
    if (this.#stops.size > 0) this.#watch();
    for (const kept of await loadInFlight().catch(() => [])) {
      const { conversation, startedAt, lostAt = startedAt } = kept;
      const { id } = kept.request;
      if (this.#tracks.has(id)) continue;
      const view = viewOfRequest(kept);
      const track = this.#track({ record: { ...kept, lostAt }, conversation, view });
      // Nobody knows when it was last heard of: as if never since.
      track.heardAt = lostAt;
      this.#events.changed(conversation, view);
      if (!kept.sent && isStale(kept, Date.now())) this.#fail(id, track, "no-worker");
    }
  }

  /** Shows a new question and sends it as soon as there is a connection. */
  async start(conversation: string, request: InFlight["request"], page?: SharedPage): Promise<void> {
    const sent = this.#events.connected();
    const shared = page === undefined ? {} : { page };
    const record: InFlight = { conversation, request, ...shared, startedAt: Date.now(), sent, resent: false };
    const view = viewOfRequest(record);
    const track = this.#track({ record, conversation, view });
    this.#events.changed(conversation, view);
    await keep(record);
    if (sent && this.#tracks.get(request.id) === track) this.#events.send(request);
  }

  /** What a running turn was asked with; undefined for one that is over, stopped, given up for now, or not asked here. */
  asked(id: string): InFlight | undefined {
    const track = this.#tracks.get(id);
    if (track === undefined || track.suspendedAt !== null || track.progress.stopped) return undefined;
    return track.progress.view.state === "running" ? (track.record ?? undefined) : undefined;
  }

  /** The page of a turn went to another origin by the turn's own doing. */
  pageMoved(id: string, origin: string): void {
    const track = this.#tracks.get(id);
    if (track?.record?.page === undefined || track.record.page.origin === origin) return;
    track.record = { ...track.record, page: { origin } };
    void keep(track.record);
  }

  /** Watches a turn that somebody else started and that is still running. */
  adopt(conversation: string, view: TurnView): void {
    if (this.#tracks.has(view.id)) return;
    this.#askSnapshot(view.id, this.#track({ record: null, conversation, view }));
  }

  /** The person stopped it: it is over at once here, with the text it has (N21). */
  stop(id: string): void {
    const track = this.#tracks.get(id);
    if (track === undefined) return;
    const reached = track.record === null || track.record.sent;
    // Also of a turn that is only watched: the person meant it, whoever asked.
    if (reached && !this.#events.send({ type: "chat_stop", id })) this.#stops.add(id);
    this.#finish(id, track, { ...track.progress.view, state: "stopped" });
  }

  /** Everything is deleted: nothing may come back. */
  stopAll(): void {
    for (const id of [...this.#tracks.keys()]) this.stop(id);
  }

  /** Forgets the automatic resend of a turn that is already shown as failed. */
  giveUp(id: string): void {
    const track = this.#tracks.get(id);
    if (track?.suspendedAt != null) this.#finish(id, track, track.progress.view);
  }

  /** Gives up every turn of a conversation that waits for a resend, since the person asked something new. */
  giveUpWaiting(conversation: string): void {
    for (const [id, track] of [...this.#tracks]) if (track.conversation === conversation) this.giveUp(id);
  }

  /** A frame arrived that names a turn. */
  frame(frame: TurnFrame): void {
    const id = turnIdOf(frame);
    const track = this.#tracks.get(id);
    if (track === undefined) return;
    if (frame.type === "turn_snapshot") {
      track.askedAt = null;
      track.gap = false;
    } else if (track.suspendedAt !== null) return;
    track.heardAt = Date.now();
    track.doubted = false;
    if (frame.type === "chat_error" && this.#mayResend(track, frame.reason)) {
      this.#noteLoss(track);
      this.#suspend(id, track, frame.reason);
      this.#askSnapshot(id, track);
    } else if (track.gap && (frame.type === "chat_done" || frame.type === "chat_error")) {
      this.#askSnapshot(id, track);
    } else {
      track.suspendedAt = null;
      this.#apply(id, track, reduceTurn(track.progress, frame, track.heardAt));
    }
  }

  /** The last frame of a turn arrived and could not be read (N25). */
  unreadableEnd(id: string): void {
    const track = this.#tracks.get(id);
    if (track !== undefined) this.#apply(id, track, failGenerically(track.progress));
  }

  /** A piece of its text arrived and could not be read: that is a hole like any other (N4). */
  unreadableText(id: string): void {
    const track = this.#tracks.get(id);
    if (track === undefined) return;
    track.gap = true;
    this.#askSnapshot(id, track);
  }

  /** The worker refused a frame of ours without saying which: asks about every turn it may have been about. */
  frameRefused(): void {
    const asked = [...this.#tracks].filter(
      ([, track]) => track.suspendedAt === null && track.askedAt === null && track.record?.sent !== false,
    );
    for (const [, track] of asked) track.doubted = true;
    this.#resume(asked);
  }

  /** The worker has never heard of a turn: send it again, once and with the same id, else it has failed. */
  unknown(frame: TurnUnknown): void {
    const track = this.#tracks.get(frame.id);
    if (track === undefined) return;
    const { record } = track;
    if (track.doubted) this.#apply(frame.id, track, failGenerically(track.progress));
    else if (record !== null && !record.resent && !isStale(record, Date.now())) {
      void this.#resend(frame.id, track, record);
    } else this.#fail(frame.id, track, track.progress.view.reason ?? this.#lost.reason);
  }

  /** There is a connection: say what was stopped, send what was not sent, ask for the rest. */
  linkReady(): void {
    this.#stops.deliver((frame) => this.#events.send(frame));
    const known: [string, Track][] = [];
    for (const [id, track] of [...this.#tracks]) {
      if (track.record?.sent === false) void this.#sendFirst(id, track, track.record);
      else known.push([id, track]);
    }
    this.#resume(known);
    if (this.size === 0) this.#settle();
  }

  /** The connection broke; its turns go on at the worker for a while (N9, N10). */
  linkLost(unresponsive: boolean): void {
    this.#lost = { at: Date.now(), reason: unresponsive ? "bridge-unresponsive" : "bridge-disconnected" };
    for (const track of this.#tracks.values()) {
      track.askedAt = null;
      // A connection that comes and goes without a word about the turn does not make it younger.
      if (track.record?.sent === true && track.heardAt > (track.record.lostAt ?? 0)) this.#noteLoss(track);
    }
  }

  /** An attempt to connect failed: what was never sent is shown as such, and still sent if the worker appears soon. */
  linkFailed(): void {
    for (const [id, track] of [...this.#tracks]) {
      if (track.suspendedAt !== null) this.#showFailed(track, track.progress.view.reason ?? "no-worker");
      else if (track.record?.sent === false) this.#suspend(id, track, "no-worker");
    }
  }

  #track(start: { record: InFlight | null; conversation: string; view: TurnView }): Track {
    const track: Track = {
      conversation: start.conversation,
      record: start.record,
      progress: { view: start.view, nextSeq: 0, stopped: false },
      heardAt: Date.now(),
      askedAt: null,
      suspendedAt: null,
      gap: false,
      doubted: false,
    };
    this.#tracks.set(start.view.id, track);
    this.#watch();
    return track;
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  #apply(id: string, track: Track, { progress, change }: Reduced): void {
    track.progress = progress;
    const { view } = progress;
    if (change.kind === "text") this.#events.text(track.conversation, view, change);
    else if (change.kind === "alive") this.#events.alive(track.conversation, id);
    else if (change.kind === "picture") this.#events.changed(track.conversation, view);
    else if (change.kind === "gap") this.unreadableText(id);
    else if (change.kind === "ended") this.#finish(id, track, view);
  }

  #askSnapshot(id: string, track: Track): void {
    if (track.askedAt === null) this.#resume([[id, track]]);
  }

  #resume(tracks: readonly (readonly [string, Track])[]): void {
    for (let at = 0; at < tracks.length; at += RESUME_MAX) {
      const some = tracks.slice(at, at + RESUME_MAX);
      if (!this.#events.send({ type: "resume", turns: some.map(([id]) => id) })) return;
      for (const [, track] of some) track.askedAt = Date.now();
    }
  }

  /** From now on it counts how long ago the turn was lost. */
  #noteLoss(track: Track): void {
    if (track.record === null) return;
    track.record = { ...track.record, lostAt: Date.now() };
    void keep(track.record);
  }

  #mayResend(track: Track, reason: ChatErrorReason): boolean {
    return RESENDABLE.has(reason) && track.record !== null && !track.record.resent;
  }

  /** Shown as failed, but it may still be resumed or sent again. */
  #suspend(id: string, track: Track, reason: ChatErrorReason): void {
    if (!this.#mayResend(track, reason)) {
      this.#fail(id, track, reason);
      return;
    }
    track.suspendedAt = Date.now();
    this.#showFailed(track, reason);
  }

  #showFailed(track: Track, reason: ChatErrorReason): void {
    const nextTryAt = this.#events.nextTryAt();
    const view: TurnView = { ...calm(track.progress.view), state: "failed", reason, resending: true };
    if (nextTryAt !== undefined) view.retryAt = nextTryAt;
    track.progress = { ...track.progress, view };
    this.#events.changed(track.conversation, view);
  }

  async #resend(id: string, track: Track, record: InFlight): Promise<void> {
    track.record = { ...record, resent: true, sent: true };
    track.suspendedAt = null;
    track.askedAt = null;
    track.gap = false;
    track.heardAt = Date.now();
    track.progress = { view: { ...viewOfRequest(record), resending: true }, nextSeq: 0, stopped: false };
    this.#events.changed(track.conversation, track.progress.view);
    await this.#sendSaved(id, track, track.record);
  }

  async #sendFirst(id: string, track: Track, record: InFlight): Promise<void> {
    if (isStale(record, Date.now())) return this.#fail(id, track, "no-worker");
    track.record = { ...record, sent: true };
    track.heardAt = Date.now();
    if (track.suspendedAt !== null) {
      track.suspendedAt = null;
      track.progress = { ...track.progress, view: viewOfRequest(record) };
      this.#events.changed(track.conversation, track.progress.view);
    }
    await this.#sendSaved(id, track, track.record);
  }

  async #sendSaved(id: string, track: Track, record: InFlight): Promise<void> {
    await keep(record);
    if (this.#tracks.get(id) === track) this.#events.send(record.request);
  }

  #fail(id: string, track: Track, reason: ChatErrorReason): void {
    this.#finish(id, track, { ...track.progress.view, state: "failed", reason });
  }

  #finish(id: string, track: Track, last: TurnView): void {
    this.#events.changed(track.conversation, calm(last));
    this.#drop(id, last.state === "stopped");
  }

  #drop(id: string, stopped: boolean): void {
    const track = this.#tracks.get(id);
    this.#tracks.delete(id);
    if (track?.record != null) void forget(id);
    this.#events.ended(id, stopped);
    this.#settle();
  }

  #settle(): void {
    if (this.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#events.settled();
  }

  #tick(): void {
    const now = Date.now();
    this.#stops.expire(now - GRACE_MS);
    const connected = this.#events.connected();
    for (const [id, track] of [...this.#tracks]) {
      if (track.suspendedAt !== null) {
        if (track.record === null || isStale(track.record, now)) this.giveUp(id);
      } else if (connected) this.#checkSilence(id, track, now);
      else if (now - Math.max(this.#lost.at, track.record?.startedAt ?? 0) > GRACE_MS) {
        this.#suspend(id, track, track.record?.sent === false ? "no-worker" : this.#lost.reason);
      }
    }
    if (this.size === 0) this.#settle();
  }

  #checkSilence(id: string, track: Track, now: number): void {
    if (track.askedAt !== null) {
      if (now - track.askedAt > ANSWER_MS) this.#fail(id, track, "bridge-unresponsive");
    } else if (now - track.heardAt > SILENCE_MS) this.#askSnapshot(id, track);
  }
}

/** A turn that nothing happens to by itself any more. */
function calm(view: TurnView): TurnView {
  const { resending: _resending, retryAt: _retryAt, ...rest } = view;
  return rest;
}

/** The picture of a turn of which only the question is known. */
function viewOfRequest({ request, startedAt }: InFlight): TurnView {
  const { context } = request;
  return {
    id: request.id,
    prompt: request.text,
    mode: request.mode,
    startedAt,
    state: "running",
    text: "",
    tools: [],
    references: [],
    media: [],
    notices: [],
    pending: true,
    ...(context && { page: { title: context.title, url: context.url } }),
  };
}

/** A full session storage must not keep a question from being asked; only its recovery would be lost. */
async function keep(record: InFlight): Promise<void> {
  await saveInFlight(record).catch(() => undefined);
}

async function forget(id: string): Promise<void> {
  await removeInFlight(id).catch(() => undefined);
}
