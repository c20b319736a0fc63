/**
 * Turns that a person stopped while there was no connection to say so. They are over here; only the worker has to hear
 * of it, also from the next service worker.
 */
import type { BrowserFrame } from "../contract/types";
import { isRecord } from "../shared/guards";
import { load, save } from "../shared/storage";

const KEY = "stops";

/** Stops on their way, by the turn and when it was stopped. */
export class Stops {
  readonly #waiting = new Map<string, number>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Reads what a dead service worker could not deliver. */
  async restore(): Promise<void> {
    const kept = await load("session", KEY, isRecord).catch(() => undefined);
    for (const [id, at] of Object.entries(kept ?? {})) if (typeof at === "number") this.#waiting.set(id, at);
  }

  add(id: string): void {
    this.#waiting.set(id, Date.now());
    this.#save();
  }

  /** There is a connection. */
  deliver(send: (frame: BrowserFrame) => boolean): void {
    this.#drop((id) => send({ type: "chat_stop", id }));
  }

  /** Drops those the worker has stopped by itself since, because it was alone for so long. */
  expire(before: number): void {
    this.#drop((_id, at) => at < before);
  }

  #drop(isDone: (id: string, at: number) => boolean): void {
    const done = [...this.#waiting].filter(([id, at]) => isDone(id, at));
    for (const [id] of done) this.#waiting.delete(id);
    if (done.length > 0) this.#save();
  }

  #save(): void {
    // Losing this costs the worker the end of an answer nobody reads.
    void save("session", KEY, Object.fromEntries(this.#waiting)).catch(() => undefined);
  }
}
