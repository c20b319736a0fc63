/**
 * Loopback WebSocket with the mutual challenge, for browsers that have no native host.
 *
 * Until the worker has proved itself the only thing it hears from us is a random number (S18).
 */
import { type Parsed, parseWorkerFrame } from "../contract/frames";
import type { BrowserFrame, WorkerFrame } from "../contract/types";
import { extensionOrigin } from "../shared/platform";
import type { Client } from "./client";
import { type Closed, faultOfBridgeError } from "./faults";
import { Handshake } from "./handshake";
import type { Pairing } from "./pairing";
import { GARBLED_LIMIT, isRubbish, type Transport, type TransportEvents } from "./transport";

/** Opening and handshake together; the worker gives the handshake 5 s as well. */
const HELLO_TIMEOUT_MS = 5_000;

/** What a socket needs to know. */
export interface SocketTarget {
  pairing: Pairing;
  client: Client;
  /** A first pairing was swapped for a lasting key, which must be kept before anything else happens. */
  paired(lasting: Pairing): Promise<void>;
}

/** Dials a worker on this machine. */
export function openSocket(target: SocketTarget, events: TransportEvents): Transport {
  return new SocketTransport(target, events);
}

class SocketTransport implements Transport {
  readonly kind = "websocket";
  readonly #socket: WebSocket;
  readonly #target: SocketTarget;
  readonly #events: TransportEvents;
  readonly #handshake: Handshake;
  readonly #timer: ReturnType<typeof setTimeout>;
  #state: "opening" | "hello-sent" | "proof-sent" | "ready" | "over" = "opening";
  #waiting: Parsed[] = [];
  #busy = false;
  #garbled = 0;
  #told: Closed | undefined;

  constructor(target: SocketTarget, events: TransportEvents) {
    this.#target = target;
    this.#events = events;
    this.#handshake = new Handshake(target.pairing, extensionOrigin());
    this.#socket = new WebSocket(`ws://127.0.0.1:${target.pairing.port}/bridge`);
    this.#socket.onopen = () => this.#greet();
    this.#socket.onmessage = (event: MessageEvent<unknown>) => this.#receive(event.data);
    this.#socket.onclose = () => this.#end(this.#told ?? this.#closedWithoutWord());
    this.#timer = setTimeout(() => this.#giveUp(this.#closedWithoutWord()), HELLO_TIMEOUT_MS);
  }

  send(frame: BrowserFrame): boolean {
    if (this.#state !== "ready" || this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#write(frame);
    return true;
  }

  close(): void {
    this.#state = "over";
    clearTimeout(this.#timer);
    this.#socket.close(1000);
  }

  #greet(): void {
    if (this.#state !== "opening") return;
    this.#state = "hello-sent";
    this.#write(this.#handshake.hello());
  }

  #write(frame: BrowserFrame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  #receive(data: unknown): void {
    if (this.#state === "over") return;
    const parsed: Parsed =
      typeof data === "string" ? parseWorkerFrame(data) : { ok: false, failure: { failure: "not-json" } };
    this.#waiting.push(parsed);
    if (!this.#busy) void this.#drain();
  }

  /** Takes messages strictly in order, although a handshake step waits for the hash. */
  async #drain(): Promise<void> {
    this.#busy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!next.ok) this.#reject(next);
      else if (this.#state === "ready") this.#deliver(next.frame);
      else await this.#step(next.frame);
    }
    this.#busy = false;
  }

  #reject(parsed: Extract<Parsed, { ok: false }>): void {
    if (this.#state === "over") return;
    if (isRubbish(parsed.failure)) this.#garbled += 1;
    if (this.#state !== "ready") this.#giveUp({ fault: "handshake-failed" });
    else if (this.#garbled >= GARBLED_LIMIT) this.#giveUp({ fault: "worker-unreachable" });
    else this.#events.garbled(parsed.failure);
  }

  #deliver(frame: WorkerFrame): void {
    if (frame.type === "bridge_error") this.#told = faultOfBridgeError(frame) ?? this.#told;
    this.#events.frame(frame);
  }

  async #step(frame: WorkerFrame): Promise<void> {
    if (frame.type === "bridge_error") {
      this.#giveUp(faultOfBridgeError(frame) ?? { fault: "handshake-failed" });
    } else if (this.#state === "hello-sent" && frame.type === "challenge") {
      const proof = await this.#handshake.prove(frame, this.#target.client);
      if (this.#state !== "hello-sent") return;
      if (proof === null) {
        this.#giveUp({ fault: "handshake-failed", detail: "the worker did not prove itself" });
        return;
      }
      this.#state = "proof-sent";
      this.#write(proof);
    } else if (this.#state === "proof-sent" && frame.type === "hello_ack") {
      const lasting = await this.#handshake.lastingKey(frame, this.#target.client);
      if (lasting !== null) await this.#target.paired(lasting);
      if (this.#state !== "proof-sent") return;
      this.#state = "ready";
      clearTimeout(this.#timer);
      this.#events.ready(frame);
    } else {
      this.#giveUp({ fault: "handshake-failed", detail: "unexpected frame during the handshake" });
    }
  }

  /** Nobody listened, or somebody listened and refused us. */
  #closedWithoutWord(): Closed {
    const refused = this.#state === "hello-sent" || this.#state === "proof-sent";
    return { fault: refused ? "handshake-failed" : "worker-unreachable" };
  }

  #giveUp(closed: Closed): void {
    this.#socket.close(1000);
    this.#end(closed);
  }

  #end(closed: Closed): void {
    if (this.#state === "over") return;
    this.#state = "over";
    clearTimeout(this.#timer);
    this.#events.closed(closed);
  }
}
