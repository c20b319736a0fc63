/**
 * One running turn as a pure reducer: frame in, new picture and what it means out.
 *
 * It knows neither connection nor panel. Text is added only if its number is the next one, so nothing is ever shown
 * twice (N3) and a hole is noticed (N4).
 */
import type { TurnRecord, TurnSnapshot, WorkerFrame } from "../contract/types";
import type { TurnView } from "./panel-port";

/** What is known of a turn. */
export interface TurnProgress {
  view: TurnView;
  /** Number of the next piece of text. */
  nextSeq: number;
  /** The worker said that somebody stopped it. */
  stopped: boolean;
}

/** What a frame did to a turn. */
export type TurnChange =
  | { kind: "none" }
  | { kind: "alive" }
  /** Text was added behind `at`. */
  | { kind: "text"; at: number; text: string }
  /** The picture changed otherwise. */
  | { kind: "picture" }
  /** Text is missing; only a snapshot helps. */
  | { kind: "gap" }
  /** It is over. */
  | { kind: "ended" };

/** A turn after a frame. */
export interface Reduced {
  progress: TurnProgress;
  change: TurnChange;
}

/** Frames that belong to one turn by its id. */
export type TurnFrame = Extract<
  WorkerFrame,
  | { type: "chat_delta" }
  | { type: "chat_done" }
  | { type: "chat_error" }
  | { type: "chat_keepalive" }
  | { type: "chat_media" }
  | { type: "tool_activity" }
  | { type: "turn_accepted" }
  | { type: "turn_notice" }
  | { type: "turn_report" }
  | { type: "turn_snapshot" }
>;

/** More cards than this in one answer are not shown. */
const MEDIA_LIMIT = 64;

/** The turn a frame belongs to. */
export function turnIdOf(frame: TurnFrame): string {
  if (frame.type === "turn_snapshot") return frame.turn.id;
  return frame.type === "tool_activity" ? frame.chatId : frame.id;
}

/** Applies one frame that arrived at `now`. */
export function reduceTurn(progress: TurnProgress, frame: TurnFrame, now: number): Reduced {
  switch (frame.type) {
    case "chat_delta":
      return addText(progress, frame.seq, frame.delta);
    case "chat_keepalive":
      return { progress, change: { kind: "alive" } };
    case "turn_accepted":
      return picture(progress, { ...settled(progress.view), model: frame.model });
    case "tool_activity":
      return picture(progress, { ...progress.view, tools: foldTool(progress.view.tools, frame) });
    case "turn_notice":
      return picture(progress, noticed(progress.view, frame, now));
    case "turn_report": {
      const view = { ...progress.view, model: frame.model, ...(frame.usage && { usage: frame.usage }) };
      return picture({ ...progress, stopped: progress.stopped || frame.stopped === true }, view);
    }
    case "chat_media":
      return addMedia(progress, frame.media);
    case "turn_snapshot":
      return replace(progress, frame);
    case "chat_done":
      return ended(progress, {
        ...settled(progress.view),
        state: progress.stopped ? "stopped" : "done",
        references: frame.references ?? [],
      });
    case "chat_error":
      // The text so far stays (N7).
      return ended(progress, { ...settled(progress.view), state: "failed", reason: frame.reason });
  }
}

/** Ends a turn whose last frame could not be understood, say because its reason is newer than we are (N25). */
export function failGenerically(progress: TurnProgress): Reduced {
  return ended(progress, { ...settled(progress.view), state: "failed" });
}

function addText(progress: TurnProgress, seq: number, text: string): Reduced {
  if (seq < progress.nextSeq) return { progress, change: { kind: "none" } };
  if (seq > progress.nextSeq) return { progress, change: { kind: "gap" } };
  const { view } = progress;
  const next = { ...progress, nextSeq: seq + 1, view: { ...settled(view), text: view.text + text } };
  return { progress: next, change: { kind: "text", at: view.text.length, text } };
}

function addMedia(progress: TurnProgress, media: TurnRecord["media"][number]): Reduced {
  const { view } = progress;
  const known = view.media.findIndex((card) => idOf(card) === idOf(media));
  // What is shown again under the same name is a newer picture of the same thing.
  if (known >= 0) return picture(progress, { ...view, media: view.media.with(known, media) });
  if (view.media.length >= MEDIA_LIMIT) return { progress, change: { kind: "none" } };
  return picture(progress, { ...view, media: [...view.media, media] });
}

function idOf(media: TurnRecord["media"][number]): unknown {
  return Reflect.get(media, "id");
}

function replace(progress: TurnProgress, { turn, nextSeq }: TurnSnapshot): Reduced {
  // A worker that was killed may have lost the last moment of its record; what a person has read stays (N7).
  const shown = progress.view.text;
  const text = turn.state === "failed" && shown.startsWith(turn.text) ? shown : turn.text;
  const next = { ...progress, nextSeq, view: { ...turn, text } };
  return { progress: next, change: { kind: turn.state === "running" ? "picture" : "ended" } };
}

/** One row per call (N6): what is told later is added to it, and nothing undoes its end. */
function foldTool(
  rows: TurnRecord["tools"],
  frame: Extract<TurnFrame, { type: "tool_activity" }>,
): TurnRecord["tools"] {
  const { type: _type, chatId: _chatId, ...row } = frame;
  const index = rows.findIndex((known) => known.callId === row.callId);
  if (index < 0) return [...rows, row];
  return rows.map((known, at) => (at === index && known.phase !== "finished" ? { ...known, ...row } : known));
}

function noticed(view: TurnView, { code, waitMs }: Extract<TurnFrame, { type: "turn_notice" }>, now: number): TurnView {
  const notices = view.notices.includes(code) ? view.notices : [...view.notices, code];
  return { ...settled(view), notices, ...(waitMs !== undefined && { retryAt: now + waitMs }) };
}

/** The worker is at it: nothing waits to be sent, to be sent again or to be tried again. */
function settled(view: TurnView): TurnView {
  const { pending: _pending, resending: _resending, retryAt: _retryAt, ...rest } = view;
  return rest;
}

function picture(progress: TurnProgress, view: TurnView): Reduced {
  return { progress: { ...progress, view }, change: { kind: "picture" } };
}

function ended(progress: TurnProgress, view: TurnView): Reduced {
  return { progress: { ...progress, view }, change: { kind: "ended" } };
}
