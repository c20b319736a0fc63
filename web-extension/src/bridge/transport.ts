/** What the two ways to a worker have in common; who chooses between them is `link.ts`. */
import type { ParseFailure } from "../contract/frames";
import type { BrowserFrame, HelloAck, WorkerFrame } from "../contract/types";
import type { Closed } from "./faults";

/** What a transport reports: `ready` at most once, then frames, and `closed` exactly once as the last. */
export interface TransportEvents {
  ready(ack: HelloAck): void;
  frame(frame: WorkerFrame): void;
  garbled(failure: ParseFailure): void;
  closed(closed: Closed): void;
}

/** An open way to a worker. */
export interface Transport {
  readonly kind: "native" | "websocket";
  /** False when the frame could not be handed over. */
  send(frame: BrowserFrame): boolean;
  /** Ends it without a `closed` event. */
  close(): void;
}

/** Starts a transport; everything else comes through the events, never synchronously. */
export type OpenTransport = (events: TransportEvents) => Transport;

/** Messages that are no frames at all are counted; so many on one connection mean that the other side is not a worker (N23). */
export const GARBLED_LIMIT = 16;

/** Not a frame of any version; one of an unknown kind or shape is what a newer worker may send. */
export function isRubbish({ failure }: ParseFailure): boolean {
  return failure === "not-json" || failure === "too-large" || failure === "no-type";
}
