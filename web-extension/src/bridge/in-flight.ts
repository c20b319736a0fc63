/**
 * The record of every question that has no answer yet, in session storage: a service worker may die at any time.
 *
 * A record is written before its question is sent and removed when the answer is complete.
 */
import type { ChatRequest } from "../contract/types";
import { isChatRequest } from "../contract/validators.generated";
import { isRecord, isString } from "../shared/guards";
import { loadAll, remove, save } from "../shared/storage";

/** What is needed to go on with a turn after a restart. */
export interface InFlight {
  /** Our key of the conversation it belongs to. */
  conversation: string;
  /** Sent again as it is, with the same id, where that is allowed (decision 11). */
  request: ChatRequest;
  startedAt: number;
  /** It was handed to a connection. */
  sent: boolean;
  /** The one automatic resend was used. */
  resent: boolean;
  /** The person stopped it while there was no connection to say so. */
  stop: boolean;
}

const PREFIX = "turn:";

/** Every turn that was not over when it was last written. */
export async function loadInFlight(): Promise<InFlight[]> {
  return loadAll("session", PREFIX, isInFlight);
}

/** Writes a record. */
export async function saveInFlight(record: InFlight): Promise<void> {
  await save("session", PREFIX + record.request.id, record);
}

/** The turn is over. */
export async function removeInFlight(id: string): Promise<void> {
  await remove("session", PREFIX + id);
}

function isInFlight(value: unknown): value is InFlight {
  return (
    isRecord(value) &&
    isString(value["conversation"]) &&
    typeof value["startedAt"] === "number" &&
    [value["sent"], value["resent"], value["stop"]].every((flag) => typeof flag === "boolean") &&
    isChatRequest(value["request"])
  );
}
