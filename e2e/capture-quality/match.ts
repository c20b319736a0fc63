/** Whether a text says a fact; the rule is written down in `facts.ts`. */
import { type Fact, PAIR_ROOM, ROW_ROOM } from "./facts";
import type { Entry, Notation } from "./notation";

/** A text of a method, prepared for many questions. */
export class Told {
  readonly #notation: Notation;
  readonly #entries: readonly Entry[];
  /** The entries as they are compared, and all of them one after the other. */
  readonly #lines: readonly string[];
  readonly #flat: string;

  constructor(text: string, notation: Notation) {
    this.#notation = notation;
    this.#entries = notation.entries(text);
    this.#lines = this.#entries.map((entry) => plain(entry.text));
    this.#flat = this.#lines.join(" ");
  }

  /** Whether it says the fact. */
  says(fact: Fact): boolean {
    switch (fact.kind) {
      case "text":
        return this.#holds(fact.text);
      case "pair":
        return this.#follows(fact.label, fact.value, PAIR_ROOM).length > 0;
      case "cell": {
        const title = this.#places(fact.column)[0] ?? Number.POSITIVE_INFINITY;
        return this.#follows(fact.row, fact.value, ROW_ROOM).some((row) => title < row);
      }
      case "role":
        return this.#entries.some((_, index) => this.#shows(fact, index));
    }
  }

  /** Whether it says the words of the fact, whatever it tells of roles and states. */
  mentions(fact: Fact): boolean {
    if (fact.kind !== "role") return this.says(fact);
    if (fact.value === undefined) return this.#holds(fact.name);
    return this.#follows(fact.name, fact.value, PAIR_ROOM).length > 0;
  }

  /** Whether a phrase occurs anywhere. */
  leaks(phrase: string): boolean {
    return this.#flat.includes(plain(phrase));
  }

  #holds(text: string): boolean {
    const pattern = phrase(plain(text));
    return this.#lines.some((line) => pattern.test(line));
  }

  #places(text: string): number[] {
    return [...this.#flat.matchAll(new RegExp(phrase(plain(text)), "gu"))].map(({ index }) => index);
  }

  /** Where `first` stands with `second` at most `room` characters behind it. */
  #follows(first: string, second: string, room: number): number[] {
    const seconds = this.#places(second);
    const length = plain(first).length;
    return this.#places(first).filter((place) =>
      seconds.some((other) => other >= place + length && other <= place + length + room),
    );
  }

  #shows(fact: Fact & { kind: "role" }, index: number): boolean {
    const entry = this.#entries[index];
    if (entry === undefined) return false;
    const after = this.#notation.after(entry, fact.role, spaced(fact.name));
    if (after === null) return false;
    if (fact.state !== undefined && !this.#notation.tells(fact.state, after)) return false;
    return fact.value === undefined || this.#isValue(fact.value, after) || this.#isChosen(fact.value, index);
  }

  #isValue(value: string, after: string): boolean {
    const place = plain(after).search(phrase(plain(value)));
    return place >= 0 && place <= PAIR_ROOM;
  }

  /** Whether the chosen one of the options that follow is this value. */
  #isChosen(value: string, control: number): boolean {
    for (let index = control + 1; index < this.#entries.length; index += 1) {
      const entry = this.#entries[index];
      if (entry === undefined) return false;
      const { isOption, isChosen } = this.#notation.option(entry);
      if (!isOption) return false;
      if (isChosen) return phrase(plain(value)).test(plain(entry.text));
    }
    return false;
  }
}

/** Text as it is compared. */
function plain(text: string): string {
  return text
    .normalize("NFC")
    .replace(/\\?["“”]|\\(?=')/g, "")
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

/** A phrase that stands free of other letters and digits. */
function phrase(text: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped(text)}(?![\\p{L}\\p{N}])`, "u");
}

/** A name as it is looked for in what a method wrote, where white space may differ. */
function spaced(name: string): RegExp {
  const words = name.trim().split(/\s+/).map(escaped);
  return new RegExp(`(?<![\\p{L}\\p{N}])${words.join("\\s+")}(?![\\p{L}\\p{N}])`, "iu");
}

function escaped(text: string): string {
  return text.replace(/[\^$.*+?()[\]{}|/]/g, "\\$&");
}
