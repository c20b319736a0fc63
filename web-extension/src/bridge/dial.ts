/**
 * Finds a way to a worker: native messaging first, then the paired WebSocket, on its port or another of the range.
 *
 * One attempt, no retries: those are `link.ts`'s.
 */
import { PORTS } from "../contract/identity";
import type { Client } from "./client";
import type { Closed } from "./faults";
import { openNative } from "./native-transport";
import { loadPairing, type Pairing, savePairing } from "./pairing";
import { openSocket } from "./socket-transport";
import type { OpenTransport } from "./transport";

/** At most one walk over the whole port range a minute: a browser slows down pages that open many failing sockets. */
const SCAN_EVERY_MS = 60_000;

/** Tries one transport; null when it became ready, else why not. */
export type TryTransport = (open: OpenTransport) => Promise<Closed | null>;

/** Remembers when it last walked the port range. */
export class Dialer {
  #scannedAt = Number.NEGATIVE_INFINITY;

  /** Resolves with null when a transport became ready, else with the fault worth showing. */
  async dial(client: Client, attempt: TryTransport): Promise<Closed | null> {
    const native = await attempt((events) => openNative(client, events));
    if (native === null) return null;
    const pairing = await loadPairing();
    return pairing === undefined ? native : this.#dialPaired(client, pairing, attempt);
  }

  async #dialPaired(client: Client, pairing: Pairing, attempt: TryTransport): Promise<Closed | null> {
    const first = await attempt(socketAt(client, pairing));
    if (first === null || !this.#mayScan()) return first;
    for (const port of portsExcept(pairing.port)) {
      // A stranger on the port learns nothing: it cannot prove that it knows the secret (S18).
      const moved = { ...pairing, port };
      if ((await attempt(socketAt(client, moved))) === null) {
        await savePairing(moved);
        return null;
      }
    }
    return first;
  }

  #mayScan(): boolean {
    const now = Date.now();
    if (now - this.#scannedAt < SCAN_EVERY_MS) return false;
    this.#scannedAt = now;
    return true;
  }
}

/** Swaps the single-use secret of a pairing string for a lasting one; null when that worked. */
export async function pairWith(client: Client, pairing: Pairing): Promise<Closed | null> {
  return new Promise((resolve) => {
    const socket = openSocket(
      { pairing, client, paired: savePairing },
      {
        ready: () => {
          socket.close();
          resolve(null);
        },
        closed: resolve,
        frame: () => undefined,
        garbled: () => undefined,
      },
    );
  });
}

function socketAt(client: Client, pairing: Pairing): OpenTransport {
  return (events) => openSocket({ pairing, client, paired: savePairing }, events);
}

function portsExcept(taken: number): number[] {
  const count = PORTS.last - PORTS.first + 1;
  return Array.from({ length: count }, (_, index) => PORTS.first + index).filter((port) => port !== taken);
}
