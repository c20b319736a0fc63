/**
 * The record of every question that has no answer yet, in session storage: a service worker may die at any time.
 *
 * A record is written before its question is sent and removed when the answer is complete.
 */
import type { ChatRequest } from "../contract/types";
import { isChatRequest } from "../contract/validators.generated";
import { isRecord, isString } from "../shared/guards";
import { loadAll, remove, save } from "../shared/storage";

/** The page a question was asked about with the context switch on: page tools may look at it while the turn runs. */
export interface SharedPage {
  /** Null where the browser did not tell us. */
  origin: string | null;
}

/** What is needed to go on with a turn after a restart. */
export interface InFlight {
  /** Our key of the conversation it belongs to. */
  conversation: string;
  /** Sent again as it is, with the same id, where that is allowed (decision 11). */
  request: ChatRequest;
  startedAt: number;
  /** The page that the person shared with the question; absent when they did not. */
  page?: SharedPage;
  /** It was handed to a connection. */
  sent: boolean;
  /** The one automatic resend was used. */
  resent: boolean;
  /** When the connection it was last heard on broke. */
  lostAt?: number;
}

const PREFIX = "turn:";
/** A question is not sent by itself later than this: the person has moved on. */
const RESEND_WITHIN_MS = 120_000;

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

/** Too late to be sent by itself, whoever kept the record meanwhile. */
export function isStale({ sent, startedAt, lostAt = startedAt }: InFlight, now: number): boolean {
  return now - (sent ? Math.max(startedAt, lostAt) : startedAt) > RESEND_WITHIN_MS;
}

function isInFlight(value: unknown): value is InFlight {
  return (
    isRecord(value) &&
    isString(value["conversation"]) &&
    typeof value["startedAt"] === "number" &&
    (value["lostAt"] === undefined || typeof value["lostAt"] === "number") &&
    (value["page"] === undefined || isSharedPage(value["page"])) &&
    [value["sent"], value["resent"]].every((flag) => typeof flag === "boolean") &&
    isChatRequest(value["request"])
  );
}

function isSharedPage(value: unknown): value is SharedPage {
  return isRecord(value) && (value["origin"] === null || isString(value["origin"]));
}
