/**
 * Native messaging: the browser starts the host for us and vouches for both sides, so there is no challenge.
 *
 * Our first frame says who we are; the worker's first is `hello_ack`, or the host's only frame, `bridge_error`.
 */
import { type Parsed, readWorkerFrame } from "../contract/frames";
import { NATIVE_HOST } from "../contract/identity";
import type { BrowserFrame } from "../contract/types";
import type { Client } from "./client";
import { type Closed, faultOfBridgeError, faultOfDisconnect } from "./faults";
import { GARBLED_LIMIT, isRubbish, type Transport, type TransportEvents } from "./transport";

/** A cold start of host and worker fits; a host that says nothing for longer is not ours. */
const HELLO_TIMEOUT_MS = 20_000;

/** Opens a port to the native host. */
export function openNative(client: Client, events: TransportEvents): Transport {
  return new NativeTransport(client, events);
}

class NativeTransport implements Transport {
  readonly kind = "native";
  readonly #port: chrome.runtime.Port;
  readonly #events: TransportEvents;
  readonly #timer: ReturnType<typeof setTimeout>;
  #state: "greeting" | "ready" | "over" = "greeting";
  #garbled = 0;
  /** What the host said before it exited; better than what the browser says about its exit. */
  #told: Closed | undefined;

  constructor(client: Client, events: TransportEvents) {
    this.#events = events;
    this.#port = chrome.runtime.connectNative(NATIVE_HOST);
    this.#port.onMessage.addListener((message: unknown) => this.#receive(readWorkerFrame(message)));
    this.#port.onDisconnect.addListener(() => {
      const closed = faultOfDisconnect(chrome.runtime.lastError?.message);
      this.#end(this.#told ?? closed);
    });
    this.#timer = setTimeout(() => this.#giveUp({ fault: "worker-unreachable" }), HELLO_TIMEOUT_MS);
    this.send({ type: "client_info", ...client });
  }

  send(frame: BrowserFrame): boolean {
    if (this.#state === "over") return false;
    try {
      this.#port.postMessage(frame);
      return true;
    } catch {
      // The port closed in this very moment (its event follows), or the frame is over the browser's limit.
      return false;
    }
  }

  close(): void {
    this.#state = "over";
    clearTimeout(this.#timer);
    this.#port.disconnect();
  }

  #receive(parsed: Parsed): void {
    if (this.#state === "over") return;
    if (!parsed.ok) {
      if (isRubbish(parsed.failure)) this.#garbled += 1;
      this.#events.garbled(parsed.failure);
      if (this.#garbled >= GARBLED_LIMIT) this.#giveUp({ fault: "host-protocol" });
      return;
    }
    const { frame } = parsed;
    if (frame.type === "bridge_error") this.#told = faultOfBridgeError(frame) ?? this.#told;
    if (this.#state === "ready") this.#events.frame(frame);
    else if (frame.type === "hello_ack") {
      this.#state = "ready";
      clearTimeout(this.#timer);
      this.#events.ready(frame);
    }
  }

  #giveUp(closed: Closed): void {
    this.#port.disconnect();
    this.#end(closed);
  }

  #end(closed: Closed): void {
    if (this.#state === "over") return;
    this.#state = "over";
    clearTimeout(this.#timer);
    this.#events.closed(closed);
  }
}
