/** How each method writes roles, states and values, so that one rule can judge all of them. */
import type { State } from "./facts";

/** One thing a method says, as it is written. */
export interface Entry {
  text: string;
  /** Role that stands for the whole entry although it is written elsewhere on its line. */
  role?: string;
}

/** How a method writes. */
export interface Notation {
  /** The entries of a text. */
  entries(text: string): Entry[];
  /**
   * What an entry says after the name of a thing of this role, its states and value; null where it does not tell of
   * such a thing. `name` matches a name.
   */
  after(entry: Entry, role: string, name: RegExp): string | null;
  /** Whether what follows the name tells a state. */
  tells(state: State, after: string): boolean;
  /** Whether an entry is the chosen option of the control before it. */
  option(entry: Entry): { isOption: boolean; isChosen: boolean };
}

const NO_OPTION = { isOption: false, isChosen: false };

/** A name inside quotation marks that holds the phrase. */
function quoted(name: RegExp): string {
  return `"[^"]*?${name.source}[^"]*"`;
}

const WORDS: Readonly<Record<State, readonly string[]>> = {
  checked: ["checked", "on"],
  unchecked: ["unchecked", "off"],
  disabled: ["disabled"],
  expanded: ["expanded"],
  collapsed: ["collapsed"],
  pressed: ["pressed"],
  selected: ["selected"],
  invalid: ["invalid"],
};

/**
 * The page block: `role "name" = value (states) [ref]`; `# name` for headings; several controls of one role on one
 * line as `role: "a" [ref] · "b" [ref]`; in rows and items a link or button as `name [ref]`.
 */
export const blockNotation: Notation = {
  entries: (text) => text.split("\n").flatMap((line) => piecesOf(line.trim())),
  after(entry, role, name) {
    if (role === "heading") return new RegExp(`^#{1,6} .*${name.source}`, "iu").test(entry.text) ? "" : null;
    const written = entry.role === role ? "^" : `(?:^|[^\\p{L}])${role} `;
    const told = new RegExp(`${written}${quoted(name)}(.*)$`, "iu").exec(entry.text);
    if (told !== null) return upToReference(told.at(-1) ?? "");
    if (role !== "link" && role !== "button") return null;
    const bare = new RegExp(`${name.source}((?: \\([^)]*\\))? \\[\\w+\\].*)$`, "iu").exec(entry.text);
    return bare === null ? null : upToReference(bare.at(-1) ?? "");
  },
  tells: (state, after) => {
    const states = [...after.matchAll(/\(([^)]*)\)/g)].flatMap((list) => (list[1] ?? "").split(", "));
    return WORDS[state].some((word) => states.includes(word));
  },
  option: () => NO_OPTION,
};

/** The controls that share a line, each with their role; any other line whole. */
function piecesOf(line: string): Entry[] {
  const run = /^([a-z]+): (?=")(.*)$/.exec(line);
  const [, role, rest] = run ?? [];
  if (role === undefined || rest === undefined) return [{ text: line }];
  return rest.split(" · ").map((text) => ({ text, role }));
}

/** What is said of one control of several on a line. */
function upToReference(text: string): string {
  const end = text.search(/\[\w+(?: \w+)*(?: …)?\]/);
  return end < 0 ? text : text.slice(0, end);
}

/** Playwright's YAML: `- role "name" [state]: value`, options of a choice as children. */
export const ariaNotation: Notation = {
  entries: (text) => text.split("\n").map((line) => ({ text: unquoted(line.trim().replace(/^- /, "")) })),
  after(entry, role, name) {
    const told = new RegExp(`^${role} ${quoted(name)}(.*)$`, "iu").exec(entry.text);
    return told === null ? null : (told.at(-1) ?? "");
  },
  tells: (state, after) => {
    // It writes only what holds: what is not said to be on is off.
    if (state === "unchecked") return !after.includes("[checked]");
    if (state === "collapsed") return !after.includes("[expanded]");
    return after.includes(`[${state}`);
  },
  option: ({ text }) => ({ isOption: text.startsWith("option "), isChosen: text.includes("[selected]") }),
};

/** YAML puts an entry with a colon into quotation marks, and doubles those inside. */
function unquoted(entry: string): string {
  if (!/^'.*'(?::.*)?$/.test(entry)) return entry;
  return entry
    .replace(/^'/, "")
    .replace(/'(:.*)?$/, "$1")
    .replaceAll("''", "'");
}

/** Plain text tells no roles. */
export const plainNotation: Notation = {
  entries: (text) => text.split("\n").map((line) => ({ text: line.trim() })),
  after: () => null,
  tells: () => false,
  option: () => NO_OPTION,
};
