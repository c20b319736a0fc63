/** Object URLs: one per file however many show it, revoked when the last of them is gone. */

interface Held {
  url: string;
  holders: number;
}

/** The object URLs of a page. */
export class ObjectUrls {
  readonly #held = new Map<Blob, Held>();

  /** The URL of a file, which lives until `signal` ends. */
  hold(file: Blob, signal: AbortSignal): string {
    const held = this.#held.get(file) ?? { url: URL.createObjectURL(file), holders: 0 };
    held.holders += 1;
    this.#held.set(file, held);
    if (signal.aborted) this.#letGo(file, held);
    else signal.addEventListener("abort", () => this.#letGo(file, held), { once: true });
    return held.url;
  }

  #letGo(file: Blob, held: Held): void {
    held.holders -= 1;
    if (held.holders > 0) return;
    this.#held.delete(file);
    URL.revokeObjectURL(held.url);
  }
}
