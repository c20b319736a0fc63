/**
 * Reads a frame from the worker: first its tag, then everything else against the schema.
 *
 * It knows no meaning; who reacts to which frame is the bridge's business.
 */
import type { WorkerFrame } from "./types";
import * as guard from "./validators.generated";

/** Why a frame was not understood; `turn` is set when it certainly named one. */
export interface ParseFailure {
  failure: "not-json" | "too-large" | "no-type" | "unknown-type" | "wrong-shape";
  tag?: string;
  turn?: string;
}

/** A frame, or why there is none. */
export type Parsed = { ok: true; frame: WorkerFrame } | { ok: false; failure: ParseFailure };

/** Largest frame a worker may send (decision 7), in UTF-16 units: never fewer than its UTF-8 bytes would allow. */
export const FRAME_LIMIT = 1_048_576;

type Guard = (value: unknown) => value is WorkerFrame;

const guards = new Map<string, Guard>([
  ["challenge", guard.isChallenge],
  ["hello_ack", guard.isHelloAck],
  ["ping", guard.isPing],
  ["pong", guard.isPong],
  ["bridge_error", guard.isBridgeError],
  ["turn_accepted", guard.isTurnAccepted],
  ["turn_snapshot", guard.isTurnSnapshot],
  ["turn_unknown", guard.isTurnUnknown],
  ["turn_notice", guard.isTurnNotice],
  ["turn_report", guard.isTurnReport],
  ["chat_delta", guard.isChatDelta],
  ["chat_done", guard.isChatDone],
  ["chat_error", guard.isChatError],
  ["chat_tool_notice", guard.isChatToolNotice],
  ["chat_keepalive", guard.isChatKeepalive],
  ["chat_media", guard.isChatMedia],
  ["tool_activity", guard.isToolActivity],
  ["set_host_tools_ack", guard.isSetHostToolsAck],
  ["set_host_tools_error", guard.isSetHostToolsError],
  ["host_tool_scope", guard.isHostToolScope],
  ["host_tool_call", guard.isHostToolCall],
  ["host_tool_cancel", guard.isHostToolCancel],
  ["media_asset_chunk", guard.isMediaAssetChunk],
  ["media_asset_error", guard.isMediaAssetError],
  ["conversation_page", guard.isConversationPage],
  ["conversation_transcript", guard.isConversationTranscript],
  ["model_page", guard.isModelPage],
  ["model_changed", guard.isModelChanged],
  ["provider_found", guard.isProviderFound],
  ["pairing_page", guard.isPairingPage],
  ["request_done", guard.isRequestDone],
  ["request_error", guard.isRequestError],
]);

/** Reads a frame that arrived as text (WebSocket). */
export function parseWorkerFrame(text: string): Parsed {
  if (text.length > FRAME_LIMIT) return { ok: false, failure: { failure: "too-large" } };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, failure: { failure: "not-json" } };
  }
  return readWorkerFrame(value);
}

/** Reads a frame that arrived as a value (native messaging, where the browser has parsed it). */
export function readWorkerFrame(value: unknown): Parsed {
  const tag = stringField(value, "type");
  if (tag === undefined) return { ok: false, failure: { failure: "no-type" } };
  const isFrame = guards.get(tag);
  if (isFrame === undefined) return { ok: false, failure: { failure: "unknown-type", tag } };
  if (isFrame(value)) return { ok: true, frame: value };
  const turn = stringField(value, "id");
  return { ok: false, failure: { failure: "wrong-shape", tag, ...(turn?.startsWith("c-") && { turn }) } };
}

function stringField(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  const field: unknown = Reflect.get(value, name);
  return typeof field === "string" ? field : undefined;
}
