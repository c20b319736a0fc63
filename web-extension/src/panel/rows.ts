/** A turn as the rows a person sees. New kinds of content become new kinds of rows. */
import type { TurnView } from "../bridge/panel-port";
import type { ChatErrorReason, NoticeCode, Reference, ToolRow } from "../contract/types";
import { type MediaDescriptor, mediaOf } from "../media/descriptor";

/** One visible part of a turn. */
export type Row =
  | { kind: "prompt" }
  /** `live` while its turn goes on, so that a call without an end is one that still runs. */
  | { kind: "tool"; tool: ToolRow; live: boolean }
  | { kind: "media"; media: MediaDescriptor }
  | { kind: "answer"; text: string; running: boolean }
  | { kind: "waiting" }
  | { kind: "notice"; code: NoticeCode }
  | { kind: "stopped" }
  | { kind: "error"; reason: ChatErrorReason | "unknown" }
  | { kind: "sources"; references: Reference[] }
  | { kind: "actions" };

/** The rows of a turn in reading order. Text that was received stays, whatever became of the turn. */
export function rowsOf(turn: TurnView): Row[] {
  const running = turn.state === "running" && turn.stopping !== true;
  const rows: Row[] = [{ kind: "prompt" }];
  for (const tool of turn.tools) rows.push({ kind: "tool", tool, live: running });
  for (const media of mediaIn(turn)) rows.push({ kind: "media", media });
  if (turn.text !== "") rows.push({ kind: "answer", text: turn.text, running });
  if (running) rows.push({ kind: "waiting" });
  for (const code of noticesOf(turn, running)) rows.push({ kind: "notice", code });
  if (isStopped(turn)) rows.push({ kind: "stopped" });
  if (turn.state === "failed") rows.push({ kind: "error", reason: turn.reason ?? "unknown" });
  if (turn.references.length > 0) rows.push({ kind: "sources", references: turn.references });
  if (!running && turn.text !== "") rows.push({ kind: "actions" });
  return rows;
}

/** What can be trusted, each once: media that is shown again keeps its place and takes the newer words. */
function mediaIn(turn: TurnView): Iterable<MediaDescriptor> {
  const trusted = turn.media.map(mediaOf).filter((media) => media !== null);
  return new Map(trusted.map((media) => [media.id, media])).values();
}

function isStopped(turn: TurnView): boolean {
  return turn.state === "stopped" || (turn.state === "running" && turn.stopping === true);
}

/** "Retrying" is news only while it happens; a clipped answer is said once, however it is recorded. */
function noticesOf(turn: TurnView, running: boolean): Set<NoticeCode> {
  const codes = new Set(turn.notices.filter((code) => code !== "retrying" || running));
  if (turn.clipped === true) codes.add("answer-clipped");
  return codes;
}
