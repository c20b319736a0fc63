/**
 * What the service worker and the content script of a frame say to each other about page tools, with a guard for each
 * message.
 *
 * Order of one acting call: `sidewire-tool-target` while the person is asked (resolves and outlines the target, does
 * nothing to it), `sidewire-tool-show` when its card is the one that is shown, `sidewire-tool` with `confirmed` when the
 * answer was yes (acts only on that very element), then `sidewire-tool-end` in every case (removes its outline, cancels
 * what still runs). Send the end without a frameId, so that every frame gets it. `sidewire-tool-badge` goes to the main
 * frame, whichever frame acts; it has a name of its own and stays until that is ended, with the turn.
 *
 * A renderer may be taken over by its page, so the service worker rebuilds answers from known members.
 */
import { isRecord, isString } from "../shared/guards";
import { clip } from "../shared/text";
import { isPrefix, parseRef } from "./refs";

/** Name of the port that a frame holds while a call acts there: it ends with the service worker. */
export const TOOLS_PORT = "sidewire-tools";

/** Tools that a content script runs. `page_screenshot`, `page_api` and `page_navigate` are the service worker's own. */
export const FRAME_TOOLS = [
  "page_snapshot",
  "page_text",
  "page_find",
  "wait_for",
  "page_click",
  "page_fill",
  "page_select",
  "page_press",
  "page_scroll",
  "highlight",
  "annotate",
] as const;
export type FrameTool = (typeof FRAME_TOOLS)[number];

/** Service worker → frame: run a tool. Answered exactly once with a `ToolReply`. */
export interface ToolAsk {
  kind: "sidewire-tool";
  call: string;
  tool: FrameTool;
  /** As `frame-arguments.ts` declares them; others are answered with `bad-arguments`. */
  arguments: Record<string, unknown>;
  /** Put before references in answers: "f3" in a frame, absent in the main one. */
  prefix?: string;
  /** The person was asked about this call's target: act on that element or refuse with `target-changed`. */
  confirmed?: boolean;
  /** The person allowed typing into this secret field, once. */
  mayTypeSecrets?: boolean;
}

/** Service worker → frame: what would this call act on? Outlines it. Answered with a `TargetReply`. */
export interface TargetAsk {
  kind: "sidewire-tool-target";
  call: string;
  tool: FrameTool;
  arguments: Record<string, unknown>;
  prefix?: string;
}

/** Service worker → frame: the person looks at this call's card now; its target has to be in view. */
export interface ToolShow {
  kind: "sidewire-tool-show";
  call: string;
}

/** Service worker → all frames: the call, or what the badge was for, is over; stop it if it runs, remove what it drew. */
export interface ToolEnd {
  kind: "sidewire-tool-end";
  call: string;
}

/** Service worker → main frame: show the badge with its Stop button until `call`, a name of its own, is ended. `text` names what goes on. */
export interface ToolBadge {
  kind: "sidewire-tool-badge";
  call: string;
  text: string;
  stop: string;
}

/** Service worker → all frames: the person stopped the turn, or asked the next question; remove every highlight and annotation. */
export interface ToolClear {
  kind: "sidewire-tool-clear";
}

/**
 * Service worker → each frame: cover what reading would hide, because a picture of the page is about to be taken, or was
 * taken. Answered with a `CoverReply` when all is drawn; the end of the call uncovers.
 */
export interface ToolCover {
  kind: "sidewire-tool-cover";
  call: string;
}

export type ToolMessage = ToolAsk | TargetAsk | ToolShow | ToolEnd | ToolBadge | ToolCover | ToolClear;

/** Content script of the main frame → service worker: the person pressed Stop in the badge. */
export interface StopPressed {
  kind: "sidewire-stop";
  call: string;
}

/** Codes a content script answers with; the service worker turns them into what the model is told. */
export const FRAME_CODES = [
  "no-such-element",
  "ambiguous",
  "dead-ref",
  "target-changed",
  "occluded",
  "not-visible",
  "disabled",
  "not-editable",
  "wrong-kind",
  "secret-field",
  "no-such-option",
  "bad-value",
  "value-not-kept",
  "timeout",
  "cancelled",
  "bad-arguments",
  "unknown-tool",
  "failed",
] as const;
export type FrameCode = (typeof FRAME_CODES)[number];

/** Refused. `detail` is plain words: what occludes, which options there are, which candidates. */
export interface FrameError {
  ok: false;
  code: FrameCode;
  detail?: string;
}

/** Done. `text` is for the model; `data` is for merging the answers of several frames. */
export interface FrameDone {
  ok: true;
  text: string;
  data?: Found | TextPart;
}

/** `page_find` and an ambiguous target: the first candidates, and how many there are. */
export interface Found {
  candidates: Candidate[];
  total: number;
}

export interface Candidate {
  ref: string;
  role: string;
  name: string;
  /** Outside the visible part of the page. */
  offscreen?: true;
}

/** `page_text`: a part of the visible text. */
export interface TextPart {
  text: string;
  offset: number;
  /** Characters in all. */
  total: number;
}

export type ToolReply = FrameDone | FrameError;

/** Role of what a call without a target acts on; no element has it. */
export const PAGE_ROLE = "page";

/** What a key or an opened list may come to: a person who allowed the one has not allowed these. */
export const EFFECTS = ["click", "type", "choose"] as const;
export type Effect = (typeof EFFECTS)[number];

/** What a call would act on. */
export interface TargetFacts {
  ok: true;
  role: string;
  name: string;
  /** Names of the row, group or dialog it is in. */
  context?: string;
  /** A password or another field whose content is never read. */
  secret: boolean;
  /** What the call comes to, where that is another kind of action than its tool says. */
  effect?: Effect;
}

export type TargetReply = TargetFacts | FrameError;

/** What is covered in a frame. */
export interface FrameCovered {
  ok: true;
  /** Places, of those in view. */
  covered: number;
  /** The same places were covered since the call asked last. */
  steady: boolean;
}

export type CoverReply = FrameCovered | FrameError;

const REPLY_TEXT_MAX = 64 * 1024;
const NAME_MAX = 400;
const CANDIDATES_MAX = 50;
const CALL_MAX = 200;

/** True for a message of the service worker about a tool. */
export function isToolMessage(value: unknown): value is ToolMessage {
  if (!isRecord(value)) return false;
  if (value["kind"] === "sidewire-tool-clear") return true;
  const { call } = value;
  if (!isString(call) || call === "" || call.length > CALL_MAX) return false;
  switch (value["kind"]) {
    case "sidewire-tool-end":
    case "sidewire-tool-show":
    case "sidewire-tool-cover":
      return true;
    case "sidewire-tool-badge":
      return isString(value["text"]) && isString(value["stop"]);
    case "sidewire-tool":
    case "sidewire-tool-target":
      return isRecord(value["arguments"]) && isString(value["tool"]) && mayBePrefix(value["prefix"]);
    default:
      return false;
  }
}

function mayBePrefix(value: unknown): boolean {
  return value === undefined || (isString(value) && isPrefix(value));
}

/** True for the name of a tool that runs in a frame. */
export function isFrameTool(value: unknown): value is FrameTool {
  return FRAME_TOOLS.some((tool) => tool === value);
}

/** True for the press of the badge's Stop button. */
export function isStopPressed(value: unknown): value is StopPressed {
  return (
    isRecord(value) && value["kind"] === "sidewire-stop" && isString(value["call"]) && value["call"].length <= CALL_MAX
  );
}

/** Reads a frame's answer to a tool; null for anything else. */
export function toolReply(value: unknown): ToolReply | null {
  if (!isRecord(value)) return null;
  if (value["ok"] !== true) return frameError(value);
  if (!isString(value["text"])) return null;
  const data = foundOf(value["data"]) ?? textPart(value["data"]);
  const text = clip(value["text"], REPLY_TEXT_MAX);
  return data === null ? { ok: true, text } : { ok: true, text, data };
}

/** Reads a frame's answer about a target; null for anything else. */
export function targetReply(value: unknown): TargetReply | null {
  if (!isRecord(value)) return null;
  if (value["ok"] !== true) return frameError(value);
  const { role, name, context } = value;
  if (!isString(role) || !isString(name)) return null;
  const place = isString(context) && context !== "" ? { context: clip(context, NAME_MAX) } : {};
  const facts = { ok: true, role: clip(role, 40), name: clip(name, NAME_MAX), ...place } as const;
  const effect = EFFECTS.find((known) => known === value["effect"]);
  // What is not said to be harmless is treated as secret.
  return { ...facts, secret: value["secret"] !== false, ...(effect !== undefined && { effect }) };
}

/** Reads a frame's answer about what it covers; null for anything else. */
export function coverReply(value: unknown): CoverReply | null {
  if (!isRecord(value)) return null;
  if (value["ok"] !== true) return frameError(value);
  return { ok: true, covered: countOf(value["covered"]), steady: value["steady"] === true };
}

/** Reads the candidates in the answer of `page_find`. */
export function foundOf(value: unknown): Found | null {
  if (!isRecord(value) || !Array.isArray(value["candidates"])) return null;
  const candidates = value["candidates"].slice(0, CANDIDATES_MAX).flatMap(candidateOf);
  return { candidates, total: Math.max(candidates.length, countOf(value["total"])) };
}

/** Reads the part of a text in the answer of `page_text`. */
export function textPart(value: unknown): TextPart | null {
  if (!isRecord(value) || !isString(value["text"])) return null;
  const text = clip(value["text"], REPLY_TEXT_MAX);
  return { text, offset: countOf(value["offset"]), total: countOf(value["total"]) };
}

function candidateOf(value: unknown): Candidate[] {
  if (!isRecord(value)) return [];
  const { ref, role, name } = value;
  if (!isString(ref) || !isString(role) || !isString(name) || parseRef(ref) === null) return [];
  const found: Candidate = { ref, role: clip(role, 40), name: clip(name, NAME_MAX) };
  return [value["offscreen"] === true ? { ...found, offscreen: true } : found];
}

function frameError(value: Record<string, unknown>): FrameError | null {
  const code = FRAME_CODES.find((known) => known === value["code"]);
  if (value["ok"] !== false || code === undefined) return null;
  const { detail } = value;
  return isString(detail) && detail !== "" ? { ok: false, code, detail: clip(detail, 4000) } : { ok: false, code };
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
