/**
 * Parts of media files on their way from the worker to a panel: a few at a time, the rest in line, all of them over when
 * the connection breaks.
 *
 * Nothing is kept here and nothing is believed: whether the parts make the file that was announced is for the panel to
 * check, which has the announcement.
 */
import type { MediaAssetChunk, MediaAssetError, MediaAssetRead } from "../contract/types";
import type { Outcome } from "./outcome";
import { MEDIA_READ_MS } from "./panel-port";

/** The worker answers so many at once on one connection. */
const IN_FLIGHT_MAX = 4;
/** More than this in line is a fault of the panel's. */
const QUEUE_MAX = 64;
const REF = /^blob:sha256:[a-f0-9]{64}$/;

interface Read {
  ref: string;
  offset: number;
  settle(outcome: Outcome): void;
}

/** Reads under way and in line. */
export class MediaReads {
  readonly #send: (frame: MediaAssetRead) => boolean;
  readonly #flying = new Map<string, (outcome: Outcome) => void>();
  #line: Read[] = [];

  constructor(send: (frame: MediaAssetRead) => boolean) {
    this.#send = send;
  }

  /** Reads a part of a file, from `offset` on. */
  read(ref: string, offset: number): Promise<Outcome> {
    if (!REF.test(ref) || !Number.isSafeInteger(offset) || offset < 0) return Promise.resolve(unavailable());
    if (this.#line.length >= QUEUE_MAX) return Promise.resolve(unavailable());
    return new Promise((settle) => {
      this.#line.push({ ref, offset, settle });
      this.#next();
    });
  }

  /** An answer arrived; one that nobody waits for any more is dropped. */
  answered(frame: MediaAssetChunk | MediaAssetError): void {
    const outcome: Outcome =
      frame.type === "media_asset_chunk" ? { ok: true, body: { kind: "media", chunk: frame.chunk } } : unavailable();
    this.#flying.get(frame.requestId)?.(outcome);
  }

  /** The connection closed: nobody waits for a timeout. */
  closed(): void {
    const line = this.#line;
    this.#line = [];
    for (const read of line) read.settle(notConnected());
    for (const settle of [...this.#flying.values()]) settle(notConnected());
  }

  #next(): void {
    while (this.#flying.size < IN_FLIGHT_MAX) {
      const read = this.#line.shift();
      if (read === undefined) return;
      this.#start(read);
    }
  }

  #start({ ref, offset, settle }: Read): void {
    const requestId = `m-${crypto.randomUUID()}`;
    if (!this.#send({ type: "media_asset_read", requestId, ref, offset })) return settle(notConnected());
    const end = (outcome: Outcome): void => {
      clearTimeout(timer);
      this.#flying.delete(requestId);
      settle(outcome);
      this.#next();
    };
    const timer = setTimeout(() => end(unavailable()), MEDIA_READ_MS);
    this.#flying.set(requestId, end);
  }
}

function unavailable(): Outcome {
  return { ok: false, code: "media-unavailable", message: "the worker has no such file, or did not answer in time" };
}

function notConnected(): Outcome {
  return { ok: false, code: "not-connected", message: "no connection to the worker" };
}
