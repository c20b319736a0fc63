/**
 * Owner of every turn that is not over: sends it, feeds it frames, and decides what a broken connection means for it.
 *
 * Conversations and panels hear of it through events; the connection is only asked to send.
 */
import type { BrowserFrame, ChatErrorReason, TurnUnknown } from "../contract/types";
import { type InFlight, loadInFlight, removeInFlight, saveInFlight } from "./in-flight";
import type { TurnView } from "./panel-port";
import { failGenerically, type Reduced, reduceTurn, type TurnFrame, type TurnProgress, turnIdOf } from "./turn";

/** What turns need from the connection and tell to the rest. */
export interface TurnsEvents {
  send(frame: BrowserFrame): boolean;
  connected(): boolean;
  /** The whole picture of a turn changed. */
  changed(conversation: string, view: TurnView): void;
  /** Text was added behind `at`; `view` already holds it. */
  text(conversation: string, view: TurnView, added: { at: number; text: string }): void;
  alive(conversation: string, turn: string): void;
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
  /** The person stopped it; only the worker does not know yet. */
  stop: boolean;
}

const TICK_MS = 5_000;
/** No frame of a turn for this long: ask for it (N11). Keepalives count, so a thinking model is never judged. */
const SILENCE_MS = 120_000;
/** A worker that does not answer a `resume` in this time does not answer at all. */
const ANSWER_MS = 15_000;
/** The worker keeps a turn going this long without us (decision 10). */
const GRACE_MS = 30_000;
/** A question is not sent by itself later than this: the person has moved on. */
const RESEND_WITHIN_MS = 120_000;
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
  #timer: ReturnType<typeof setInterval> | undefined;
  #lost: { at: number; reason: ChatErrorReason };

  constructor(events: TurnsEvents) {
    this.#events = events;
    this.#lost = { at: Date.now(), reason: "bridge-disconnected" };
  }

  get size(): number {
    return this.#tracks.size;
  }

  has(id: string): boolean {
    return this.#tracks.has(id);
  }

  /** Reads what a dead service worker left behind; the pictures come back with `resume`. */
  async restore(): Promise<void> {
    for (const record of await loadInFlight()) {
      if (this.#tracks.has(record.request.id)) continue;
      const view = viewOfRequest(record);
      this.#track({ record, stop: record.stop, conversation: record.conversation, view });
      if (!record.stop) this.#events.changed(record.conversation, view);
    }
  }

  /** Shows a new question and sends it as soon as there is a connection. */
  async start(conversation: string, request: InFlight["request"]): Promise<void> {
    const sent = this.#events.connected();
    const record: InFlight = { conversation, request, startedAt: Date.now(), sent, resent: false, stop: false };
    const view = viewOfRequest(record);
    const track = this.#track({ record, stop: false, conversation, view });
    this.#events.changed(conversation, view);
    await keep(record);
    if (sent && this.#tracks.get(request.id) === track && !track.stop) this.#events.send(request);
  }

  /** Watches a turn that somebody else started and that is still running. */
  adopt(conversation: string, view: TurnView): void {
    if (this.#tracks.has(view.id)) return;
    this.#askSnapshot(view.id, this.#track({ record: null, stop: false, conversation, view }));
  }

  /** The person stopped it: it is over at once here, with the text it has (N21). */
  stop(id: string): void {
    const track = this.#tracks.get(id);
    if (track === undefined || track.stop) return;
    const { resending: _resending, ...view } = track.progress.view;
    track.progress = { ...track.progress, view: { ...view, state: "stopped" } };
    this.#events.changed(track.conversation, track.progress.view);
    const reached = track.record === null || track.record.sent;
    if (!reached || this.#events.send({ type: "chat_stop", id })) {
      this.#drop(id);
      return;
    }
    track.stop = true;
    if (track.record !== null) void keep({ ...track.record, stop: true });
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
    if (frame.type === "turn_snapshot") track.askedAt = null;
    else if (track.suspendedAt !== null) return;
    track.heardAt = Date.now();
    if (track.stop) this.#stopLate(id);
    else if (frame.type === "chat_error" && this.#mayResend(track, frame.reason)) {
      this.#suspend(id, track, frame.reason);
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

  /** The worker has never heard of a turn: send it again, once and with the same id, else it has failed. */
  unknown(frame: TurnUnknown): void {
    const track = this.#tracks.get(frame.id);
    if (track === undefined) return;
    const { record } = track;
    if (track.stop) this.#drop(frame.id);
    else if (record !== null && !record.resent) void this.#resend(frame.id, track, record);
    else this.#fail(frame.id, track, track.progress.view.reason ?? this.#lost.reason);
  }

  /** There is a connection: say what was stopped, send what was not sent, ask for the rest. */
  linkReady(): void {
    const known: string[] = [];
    for (const [id, track] of [...this.#tracks]) {
      if (track.stop) this.#stopLate(id);
      else if (track.record !== null && !track.record.sent) void this.#sendFirst(id, track, track.record);
      else {
        track.askedAt = Date.now();
        known.push(id);
      }
    }
    for (let at = 0; at < known.length; at += RESUME_MAX) {
      this.#events.send({ type: "resume", turns: known.slice(at, at + RESUME_MAX) });
    }
  }

  /** The connection broke; its turns go on at the worker for a while (N9, N10). */
  linkLost(unresponsive: boolean): void {
    this.#lost = { at: Date.now(), reason: unresponsive ? "bridge-unresponsive" : "bridge-disconnected" };
    for (const track of this.#tracks.values()) track.askedAt = null;
  }

  /** An attempt to connect failed: what was never sent is shown as such, and still sent if the worker appears soon. */
  linkFailed(): void {
    for (const [id, track] of [...this.#tracks]) {
      if (track.suspendedAt === null && track.record?.sent === false) this.#suspend(id, track, "no-worker");
    }
  }

  #track(start: { record: InFlight | null; stop: boolean; conversation: string; view: TurnView }): Track {
    const track: Track = {
      conversation: start.conversation,
      record: start.record,
      stop: start.stop,
      progress: { view: start.view, nextSeq: 0, stopped: false },
      heardAt: Date.now(),
      askedAt: null,
      suspendedAt: null,
    };
    this.#tracks.set(start.view.id, track);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
    return track;
  }

  #apply(id: string, track: Track, { progress, change }: Reduced): void {
    track.progress = progress;
    const { view } = progress;
    if (change.kind === "text") this.#events.text(track.conversation, view, change);
    else if (change.kind === "alive") this.#events.alive(track.conversation, id);
    else if (change.kind === "picture") this.#events.changed(track.conversation, view);
    else if (change.kind === "gap") this.#askSnapshot(id, track);
    else if (change.kind === "ended") this.#finish(id, track, view);
  }

  #askSnapshot(id: string, track: Track): void {
    if (track.askedAt !== null || !this.#events.send({ type: "resume", turns: [id] })) return;
    track.askedAt = Date.now();
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
    track.progress = { ...track.progress, view: { ...track.progress.view, state: "failed", reason, resending: true } };
    this.#events.changed(track.conversation, track.progress.view);
  }

  async #resend(id: string, track: Track, record: InFlight): Promise<void> {
    track.record = { ...record, resent: true, sent: true };
    track.suspendedAt = null;
    track.askedAt = null;
    track.heardAt = Date.now();
    track.progress = { view: { ...viewOfRequest(record), resending: true }, nextSeq: 0, stopped: false };
    this.#events.changed(track.conversation, track.progress.view);
    await this.#sendSaved(id, track, track.record);
  }

  async #sendFirst(id: string, track: Track, record: InFlight): Promise<void> {
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
    if (this.#tracks.get(id) === track && !track.stop) this.#events.send(record.request);
  }

  #stopLate(id: string): void {
    this.#events.send({ type: "chat_stop", id });
    this.#drop(id);
  }

  #fail(id: string, track: Track, reason: ChatErrorReason): void {
    this.#finish(id, track, { ...track.progress.view, state: "failed", reason });
  }

  #finish(id: string, track: Track, last: TurnView): void {
    const { resending: _resending, ...view } = last;
    this.#events.changed(track.conversation, view);
    this.#drop(id);
  }

  #drop(id: string): void {
    const track = this.#tracks.get(id);
    this.#tracks.delete(id);
    if (track?.record != null) void forget(id);
    if (this.#tracks.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#events.settled();
  }

  #tick(): void {
    const now = Date.now();
    const connected = this.#events.connected();
    for (const [id, track] of [...this.#tracks]) {
      if (track.suspendedAt !== null) {
        if (now - track.suspendedAt > RESEND_WITHIN_MS) this.giveUp(id);
      } else if (connected) this.#checkSilence(id, track, now);
      else if (now - Math.max(this.#lost.at, track.record?.startedAt ?? 0) > GRACE_MS) this.#outOfGrace(id, track);
    }
  }

  #checkSilence(id: string, track: Track, now: number): void {
    if (track.askedAt !== null) {
      if (now - track.askedAt > ANSWER_MS) this.#fail(id, track, "bridge-unresponsive");
    } else if (now - track.heardAt > SILENCE_MS) this.#askSnapshot(id, track);
  }

  #outOfGrace(id: string, track: Track): void {
    if (track.stop) this.#drop(id);
    else this.#suspend(id, track, track.record?.sent === false ? "no-worker" : this.#lost.reason);
  }
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
