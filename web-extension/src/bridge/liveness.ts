/**
 * Judges one connection by what arrives on it: 45 s of silence asks with a ping, 10 s more and it is dead.
 *
 * One object per connection (N12), and never judged by how long a model thinks: any frame counts.
 */

const SILENCE_MS = 45_000;
const ANSWER_MS = 10_000;

/** What liveness may do to the connection. */
export interface LivenessActions {
  ping(): void;
  dead(): void;
}

/** Watches one connection until `stop`. */
export class Liveness {
  readonly #actions: LivenessActions;
  #last = Date.now();
  #asked = false;
  #timer: ReturnType<typeof setTimeout>;

  constructor(actions: LivenessActions) {
    this.#actions = actions;
    this.#timer = setTimeout(() => this.#check(), SILENCE_MS);
  }

  /** Something arrived. */
  heard(): void {
    this.#last = Date.now();
    this.#asked = false;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** After a laptop's sleep the clock has jumped, so silence is only ever answered by a question first. */
  #check(): void {
    const silent = Date.now() - this.#last;
    if (this.#asked) this.#actions.dead();
    else if (silent < SILENCE_MS) this.#timer = setTimeout(() => this.#check(), SILENCE_MS - silent);
    else {
      this.#asked = true;
      this.#actions.ping();
      this.#timer = setTimeout(() => this.#check(), ANSWER_MS);
    }
  }
}
