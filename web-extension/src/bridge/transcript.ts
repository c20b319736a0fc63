/** Puts the worker's record of a conversation and what is at hand of it together. */
import { isLinkReason } from "./faults";
import type { TurnView } from "./panel-port";

/** Turns at hand, and which of them are better than the worker's record. */
export interface AtHand {
  turns: readonly TurnView[];
  /** Still under way here. */
  runsHere(id: string): boolean;
}

/** All turns in order: `stored` are the last ones of the worker's record; a turn that is at hand may be newer than that. */
export function mergedTurns(held: AtHand, stored: readonly TurnView[]): { turns: TurnView[]; hasOlder: boolean } {
  const isNewer = (turn: TurnView): boolean => isKnown(turn) && (held.runsHere(turn.id) || !isGuessed(turn));
  const mine = new Map(held.turns.filter(isNewer).map((turn) => [turn.id, turn]));
  const { older, newer } = around(held.turns, new Set(stored.map((turn) => turn.id)));
  const turns = [...older, ...stored.map((turn) => mine.get(turn.id) ?? turn), ...newer];
  return { turns, hasOlder: older.length > 0 };
}

/** It was given up because of the connection; what became of it at the worker is not known here. */
export function isGuessed(turn: TurnView): boolean {
  return turn.state === "failed" && turn.resending !== true && isLinkReason(turn.reason);
}

/** More is known of the turn than its question. */
function isKnown(turn: TurnView): boolean {
  return turn.pending !== true;
}

/** The turns before and after those that are `stored`. */
function around(turns: readonly TurnView[], stored: ReadonlySet<string>): { older: TurnView[]; newer: TurnView[] } {
  const first = turns.findIndex((turn) => stored.has(turn.id));
  const older = turns.slice(0, Math.max(0, first)).filter(isKnown);
  return { older, newer: turns.filter((turn) => !stored.has(turn.id) && !older.includes(turn)) };
}
