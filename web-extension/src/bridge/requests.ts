/**
 * Requests under way to the worker: each gets exactly one answer, and all fail at once when the connection closes.
 */
import type { AnswerFrame, RequestFrame } from "../contract/types";
import type { RefusalCode } from "./panel-port";

/** A request without the id that this module gives it. */
export type Ask<Frame = RequestFrame> = Frame extends RequestFrame ? Omit<Frame, "requestId"> : never;

/** What became of a request. */
export type Answered =
  | { ok: true; frame: Exclude<AnswerFrame, { type: "request_error" }> }
  | { ok: false; code: RefusalCode; message: string };

const TIMEOUT_MS = 15_000;
/** Looking for servers and trying a provider with a real request take longer. */
const SLOW_TIMEOUT_MS = 60_000;
const SLOW: ReadonlySet<RequestFrame["type"]> = new Set(["provider_detect", "provider_set", "model_list"]);

/** More than this at once is a fault of ours, not a need. */
const PENDING_MAX = 256;

/** Pending requests by id. */
export class Requests {
  readonly #send: (frame: RequestFrame) => boolean;
  readonly #pending = new Map<string, (answered: Answered) => void>();

  constructor(send: (frame: RequestFrame) => boolean) {
    this.#send = send;
  }

  /** Sends a request and waits for its answer. */
  ask(request: Ask): Promise<Answered> {
    const requestId = `r-${crypto.randomUUID()}`;
    const frame: RequestFrame = { ...request, requestId };
    if (this.#pending.size >= PENDING_MAX) return Promise.resolve(refused("conflict", "too many requests at once"));
    if (!this.#send(frame)) return Promise.resolve(notConnected());
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => this.#settle(requestId, refused("not-connected", "the worker did not answer in time")),
        SLOW.has(frame.type) ? SLOW_TIMEOUT_MS : TIMEOUT_MS,
      );
      this.#pending.set(requestId, (answered) => {
        clearTimeout(timer);
        resolve(answered);
      });
    });
  }

  /** An answer arrived; one that nobody waits for any more is dropped. */
  answered(frame: AnswerFrame): void {
    const answered: Answered =
      frame.type === "request_error" ? refused(frame.code, frame.message) : { ok: true, frame };
    this.#settle(frame.requestId, answered);
  }

  /** The connection closed: nobody waits for a timeout. */
  closed(): void {
    for (const requestId of [...this.#pending.keys()]) this.#settle(requestId, notConnected());
  }

  #settle(requestId: string, answered: Answered): void {
    const resolve = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    resolve?.(answered);
  }
}

function notConnected(): Answered {
  return refused("not-connected", "no connection to the worker");
}

function refused(code: RefusalCode, message: string): Answered {
  return { ok: false, code, message };
}
