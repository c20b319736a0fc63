/** Waiting times between attempts to connect: doubling, with jitter, and never a storm. */

const FIRST_MS = 500;
const LAST_MS = 30_000;
/** A connection that lasted this long proves that the next failure is a new one. */
const SETTLED_MS = 10_000;

/** Counts failures; `random` gives a number in [0, 1). */
export class Backoff {
  readonly #random: () => number;
  #failures = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** How long to wait before the next attempt: half of the step is fixed, half is chance. */
  next(): number {
    const step = Math.min(LAST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    return Math.round(step * (0.5 + this.#random() / 2));
  }

  /** A connection ended; one that was accepted and dropped at once does not reset the waiting time. */
  ended(lifetimeMs: number): void {
    if (lifetimeMs >= SETTLED_MS) this.#failures = 0;
  }

  /** A person asked for it: start over. */
  reset(): void {
    this.#failures = 0;
  }
}
