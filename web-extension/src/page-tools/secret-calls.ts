/**
 * Keeps what was typed into a secret field out of the rows that a person, and whoever looks over their shoulder, reads.
 *
 * Only the page's frame knows which field is one. Until it has said so the value of a row that runs is not shown; of a
 * row that an earlier service worker has seen the end of, only the names in it can tell.
 */
import { secrecyOf } from "../capture/secret-words";
import type { TurnRecord } from "../contract/types";
import { isRecord } from "../shared/guards";

type Row = TurnRecord["tools"][number];

/** Tools that put something into a field, and the argument that says what. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ["page_fill", "value"],
  ["page_press", "key"],
]);
const MASK = "••••••";
/** Calls that are remembered. */
const KNOWN_MAX = 1_000;

/** What is known of the calls of this service worker's life. */
export class SecretCalls {
  readonly #known = new Map<string, boolean>();

  /** The frame has said what a call is about. */
  note(turn: string, callId: string, secret: boolean): void {
    const key = keyOf(turn, callId);
    // A model may use a name twice; a secret stays one.
    this.#known.set(key, secret || this.#known.get(key) === true);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Whether the frame has said that a call is about a secret. */
  holds(turn: string, callId: string): boolean {
    return this.#known.get(keyOf(turn, callId)) === true;
  }

  /** A turn as it may be shown. */
  masked<T extends Pick<TurnRecord, "id" | "tools">>(turn: T): T {
    if (!turn.tools.some(({ tool, input }) => VALUES.has(tool) && input !== undefined)) return turn;
    return { ...turn, tools: turn.tools.map((row) => this.#row(turn.id, row)) };
  }

  #row(turn: string, row: Row): Row {
    const argument = VALUES.get(row.tool);
    if (argument === undefined || row.input === undefined) return row;
    const secret = this.#known.get(keyOf(turn, row.callId)) ?? (row.phase !== "finished" || namesSecret(row));
    return secret ? { ...row, input: withMask(row.input, argument) } : row;
  }
}

function keyOf(turn: string, callId: string): string {
  return `${turn}\n${callId}`;
}

function withMask(input: string, argument: string): string {
  const given = parsed(input);
  // An input that was cut is hidden whole: nobody knows where the value in it begins.
  if (given === null) return JSON.stringify({ [argument]: MASK });
  return JSON.stringify({ ...given, ...(argument in given && { [argument]: MASK }) });
}

/** Whether the target of a row is called like a secret, by the model's words or by the page's in the result. */
function namesSecret({ input = "", output = "" }: Row): boolean {
  const { name, text } = parsed(input) ?? {};
  const said = [...output.matchAll(/"([^"]{1,200})"/g)].map(([, words]) => words);
  return [name, text, ...said].some((words) => typeof words === "string" && secrecyOf(words) === "secret");
}

function parsed(input: string): Record<string, unknown> | null {
  try {
    const given: unknown = JSON.parse(input);
    return isRecord(given) ? given : null;
  } catch {
    return null;
  }
}
