/**
 * The one connection to the worker: made when somebody needs it, kept alive, made again when it breaks.
 *
 * It knows frames only as far as the connection itself is concerned; turns and requests are other modules'.
 */
import { CONTRACT_VERSION } from "../contract/identity";
import type { BrowserFrame, HelloAck, ModelState, WorkerFrame } from "../contract/types";
import { Backoff } from "./backoff";
import type { Client } from "./client";
import { Dialer } from "./dial";
import type { Closed } from "./faults";
import { Liveness } from "./liveness";
import type { Link } from "./panel-port";
import type { OpenTransport, Transport, TransportEvents } from "./transport";

/** A connection that nobody needs is given up after this long, so that worker and service worker may rest. */
const LINGER_MS = 60_000;

/** What the owner of turns and panels hears. */
export interface LinkEvents {
  /** The state shown to a person changed. */
  changed(link: Link): void;
  /** A worker is there; turns are resumed now. */
  ready(ack: HelloAck): void;
  /** A ready connection broke; `unresponsive` when we gave it up because nothing came any more. */
  lost(unresponsive: boolean): void;
  /** An attempt failed. */
  failed(): void;
  frame(frame: WorkerFrame): void;
  garbled: TransportEvents["garbled"];
}

/** Owner of the connection. */
export class LinkKeeper {
  readonly #events: LinkEvents;
  readonly #client: () => Promise<Client>;
  readonly #dialer = new Dialer();
  readonly #backoff = new Backoff();
  #link: Link = { state: "connecting" };
  #transport: Transport | undefined;
  #liveness: Liveness | undefined;
  #readyAt = 0;
  #dialing = false;
  #wanted = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #waiters = new Set<() => void>();

  constructor(client: () => Promise<Client>, events: LinkEvents) {
    this.#client = client;
    this.#events = events;
  }

  get link(): Link {
    return this.#link;
  }

  get isReady(): boolean {
    return this.#transport !== undefined;
  }

  /** Somebody needs the worker: connects now unless that is under way. */
  need(): void {
    clearTimeout(this.#linger);
    this.#wanted = true;
    if (this.#transport !== undefined || this.#dialing) return;
    clearTimeout(this.#retry);
    void this.#dial();
  }

  /** Starts over at a person's request, or because a pairing changed. */
  restart(): void {
    this.#backoff.reset();
    if (this.#transport !== undefined) return;
    this.#show({ state: "connecting" });
    this.need();
  }

  /** Gives up the connection at hand, because the key it was made with is forgotten, and looks for another. */
  redial(): void {
    if (this.#transport !== undefined) {
      this.#transport.close();
      this.#lost(false);
    }
    this.restart();
  }

  /** Nobody needs the worker at the moment. */
  release(): void {
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => this.#hangUp(), LINGER_MS);
  }

  send(frame: BrowserFrame): boolean {
    return this.isReady && (this.#transport?.send(frame) ?? false);
  }

  /** Resolves when there is a connection or the attempt under way failed, at the latest after `timeoutMs`. */
  async settled(timeoutMs: number): Promise<void> {
    if (this.isReady || !this.#dialing) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiters.add(done);
    });
  }

  async #dial(): Promise<void> {
    this.#dialing = true;
    const closed = await this.#client()
      .then((client) => this.#dialer.dial(client, (open) => this.#try(open)))
      .catch((): Closed => ({ fault: "host-missing" }));
    this.#dialing = false;
    if (closed !== null) this.#failed(closed);
    else if (!this.#wanted) this.#hangUp();
    for (const done of [...this.#waiters]) done();
  }

  /** Opens one transport and waits until it is ready (null) or has failed. */
  #try(open: OpenTransport): Promise<Closed | null> {
    return new Promise((resolve) => {
      let ready = false;
      const transport = open({
        ready: (ack) => {
          const skew = versionFault(ack);
          if (skew === null) {
            ready = true;
            this.#accept(transport, ack);
          } else transport.close();
          resolve(skew);
        },
        frame: (frame) => this.#receive(frame),
        garbled: (failure) => {
          this.#liveness?.heard();
          this.#events.garbled(failure);
        },
        closed: (closed) => {
          if (ready) this.#lost(false);
          else resolve(closed);
        },
      });
    });
  }

  #accept(transport: Transport, ack: HelloAck): void {
    this.#transport = transport;
    this.#readyAt = Date.now();
    this.#liveness = new Liveness({
      ping: () => void transport.send({ type: "ping" }),
      dead: () => {
        transport.close();
        this.#lost(true);
      },
    });
    this.#show({ state: "ready", transport: transport.kind, workerVersion: ack.worker.version, model: ack.model });
    this.#events.ready(ack);
  }

  #receive(frame: WorkerFrame): void {
    this.#liveness?.heard();
    if (frame.type === "ping") void this.#transport?.send({ type: "pong" });
    else if (frame.type === "model_changed") this.#model(frame.model);
    else if (frame.type === "set_host_tools_error") this.#tools("refused");
    else if (frame.type === "set_host_tools_ack") this.#tools("taken");
    else if (frame.type !== "pong") this.#events.frame(frame);
  }

  #tools(what: "taken" | "refused"): void {
    if (this.#link.state !== "ready" || (what === "refused") === (this.#link.toolsRefused === true)) return;
    const { toolsRefused: _before, ...link } = this.#link;
    this.#show(what === "refused" ? { ...link, toolsRefused: true } : link);
  }

  #model(model: ModelState): void {
    if (this.#link.state === "ready") this.#show({ ...this.#link, model });
  }

  #lost(unresponsive: boolean): void {
    this.#forget();
    this.#backoff.ended(Date.now() - this.#readyAt);
    const next = this.#retryLater();
    this.#show({ state: "reconnecting", sinceMs: Date.now(), ...next });
    this.#events.lost(unresponsive);
  }

  #failed({ fault, detail }: Closed): void {
    const next = this.#retryLater();
    this.#show({ state: "down", fault, ...(detail !== undefined && { detail }), ...next });
    this.#events.failed();
  }

  /** Plans the next attempt, if somebody still needs one, and says when it starts. */
  #retryLater(): { nextTryAt?: number } {
    clearTimeout(this.#retry);
    if (!this.#wanted) return {};
    const wait = this.#backoff.next();
    this.#retry = setTimeout(() => void this.#dial(), wait);
    return { nextTryAt: Date.now() + wait };
  }

  #hangUp(): void {
    this.#wanted = false;
    clearTimeout(this.#retry);
    this.#transport?.close();
    this.#forget();
    this.#link = { state: "connecting" };
  }

  #forget(): void {
    this.#liveness?.stop();
    this.#liveness = undefined;
    this.#transport = undefined;
  }

  #show(link: Link): void {
    this.#link = link;
    this.#events.changed(link);
  }
}

/** Another major version of the contract cannot be spoken with (decision 6). */
function versionFault(ack: HelloAck): Closed | null {
  const major = (version: string): string | undefined => version.split(".")[0];
  if (major(ack.contractVersion) === major(CONTRACT_VERSION)) return null;
  return { fault: "version-mismatch", detail: `worker speaks ${ack.contractVersion}` };
}
