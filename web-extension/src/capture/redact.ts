/**
 * The one place where secrets leave a snapshot: text, URLs, JSON bodies and labelled values.
 *
 * It hides what is named like a secret, what is shaped like one, and what stands beside a label that promises one.
 * Password fields never reach it: the walk does not read them.
 */
import { isOpaque, replaceShapes } from "./secret-shapes";
import { describesOnly, secrecyOf } from "./secret-words";
import type { FlatTree } from "./tree";
import { MAX_DEPTH } from "./tree";

/** What stands where a secret stood. */
export const REDACTED = "[redacted]";
/** What stands where a JSON body was deeper than a tree may be. */
export const TOO_DEEP = "[…]";

/** Longest text that is examined; callers clip afterwards. */
const MAX_EXAMINED = 64 * 1024;
const MAX_POINTERS = 500;
/** A cheap first look: most strings of a page have nothing of this. */
const WORTH_A_LOOK = /[=:]|[\w-]{16}|bearer|basic|token/i;
const WEB_URL = /\bhttps?:\/\/[^\s"'<>]{1,4096}/gi;
/** `key = value`, `"key": "value"`, `api key: value`. */
const ASSIGNMENT =
  /(["']?\b)((?:[A-Za-z]{1,20} ){0,2}[A-Za-z][\w-]{1,63})(["']?\s{0,3}[:=]\s{0,3})(?:(["'])([^"']{1,4096})|([^\s"',;&<>]{3,4096}))/g;

/** Hides secrets in free text. */
export function redactText(text: string): string {
  if (text.length < 6 || !WORTH_A_LOOK.test(text)) return text;
  const looked = text.length > MAX_EXAMINED ? text.slice(0, MAX_EXAMINED) : text;
  return replaceShapes(looked, REDACTED)
    .replace(WEB_URL, (url) => redactUrl(url))
    .replace(ASSIGNMENT, redactAssigned);
}

type Groups = [open: string, key: string, sign: string, quote: string | undefined, quoted?: string, bare?: string];

function redactAssigned(whole: string, ...[open, key, sign, quote, quoted, bare]: Groups): string {
  const value = quoted ?? bare ?? "";
  const hidden = hidesAssigned(key, value, quote !== undefined || sign.includes("="));
  return hidden ? `${open}${key}${sign}${quote ?? ""}${REDACTED}` : whole;
}

function hidesAssigned(key: string, value: string, certain: boolean): boolean {
  if (value.startsWith(REDACTED) || value.startsWith("//")) return false;
  const secrecy = secrecyOf(key);
  if (secrecy === "secret") return certain || isOpaque(value, 5) || value.length >= 16;
  return secrecy === "key-like" && isOpaque(value, 20);
}

/** Hides secrets in a URL or a path: user info, query values and fragments that look like tokens. */
export function redactUrl(url: string): string {
  const hash = url.indexOf("#");
  const fragment = hash < 0 ? "" : url.slice(hash + 1);
  const bare = hash < 0 ? url : url.slice(0, hash);
  const mark = bare.indexOf("?");
  const path = redactPath(mark < 0 ? bare : bare.slice(0, mark));
  const query = mark < 0 ? "" : `?${redactQuery(bare.slice(mark + 1))}`;
  return path + query + (fragment === "" ? "" : `#${redactFragment(fragment)}`);
}

function redactPath(path: string): string {
  const shown = replaceShapes(path.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, `$1${REDACTED}@`), REDACTED);
  const segments = shown.split("/");
  return segments
    .map((segment, index) => {
      const label = segments[index - 1];
      return label !== undefined && secrecyOf(label) === "secret" && isOpaque(segment, 12) ? REDACTED : segment;
    })
    .join("/");
}

function redactQuery(query: string): string {
  return query.split("&").map(redactPair).join("&");
}

function redactPair(pair: string): string {
  const equals = pair.indexOf("=");
  if (equals < 0) return isOpaque(pair, 20) ? REDACTED : replaceShapes(pair, REDACTED);
  const key = pair.slice(0, equals);
  const value = decoded(pair.slice(equals + 1));
  if (value === "") return pair;
  const secrecy = secrecyOf(decoded(key));
  const hidden =
    secrecy === "secret" ||
    value.length > 64 ||
    isOpaque(value, secrecy === "key-like" ? 8 : 20) ||
    redactText(value) !== value;
  return hidden ? `${key}=${REDACTED}` : pair;
}

function redactFragment(fragment: string): string {
  const mark = fragment.indexOf("?");
  if (mark >= 0) return `${redactPath(fragment.slice(0, mark))}?${redactQuery(fragment.slice(mark + 1))}`;
  if (fragment.includes("=")) return redactQuery(fragment);
  return isOpaque(fragment, 20) && !fragment.includes("/") ? REDACTED : redactPath(fragment);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** A copy of a JSON value with secrets hidden and nothing deeper than the depth cap. */
export function redactJson(value: unknown): unknown {
  return redactMember("", value, { depth: 1, secret: false });
}

interface Place {
  depth: number;
  /** Inside something named like a secret. */
  secret: boolean;
}

function redactMember(key: string, value: unknown, place: Place): unknown {
  if (typeof value === "string") return redactString(key, value, place);
  if (typeof value === "number") return place.secret && !describesOnly(key) ? REDACTED : value;
  if (typeof value !== "object" || value === null) return value;
  if (place.depth >= MAX_DEPTH) return TOO_DEEP;
  const depth = place.depth + 1;
  if (Array.isArray(value))
    return value.map((item: unknown) => redactMember(key, item, { depth, secret: place.secret }));
  const named = isNamedSecret(value);
  const members = Object.entries(value)
    // A member of this name could only be meant to change the prototype of a copy.
    .filter(([name]) => name !== "__proto__")
    .map(([name, item]): [string, unknown] => {
      const secret = place.secret || secrecyOf(name) === "secret" || (named && CONTENTS.has(name.toLowerCase()));
      return [replaceShapes(name.toWellFormed(), REDACTED), redactMember(name, item, { depth, secret })];
    });
  return Object.fromEntries(members);
}

/** Members of an object that name what its other members hold: a header, a variable, a form field. */
const NAMING = new Set(["name", "key", "header", "header_name", "headername", "label"]);
const CONTENTS = new Set(["value", "values", "content", "default"]);

/** `{ "name": "Authorization", "value": … }`: the key of the secret stands beside it. */
function isNamedSecret(value: object): boolean {
  return Object.entries(value).some(
    ([name, label]) => NAMING.has(name.toLowerCase()) && typeof label === "string" && secrecyOf(label) !== "plain",
  );
}

function redactString(key: string, value: string, place: Place): string {
  const text = value.toWellFormed();
  if (text === "") return text;
  if (place.secret && !(describesOnly(key) && !isOpaque(text, 16))) return REDACTED;
  if (secrecyOf(key) === "key-like" && isOpaque(text, 20)) return REDACTED;
  return redactText(text);
}

/** Whether the value of a field, or the text beside a label, is hidden because of the label. */
export function hidesLabelled(label: string, value: string): boolean {
  if (label === "" || label.length > 60 || !mayBeSecret(value)) return false;
  const secrecy = secrecyOf(label);
  if (secrecy === "plain") return false;
  if (secrecy === "key-like") return isOpaque(value, 20);
  // A number beside "Tokens" or "Active sessions" counts them.
  return !(/^\d+$/.test(value) && /s\W*$/i.test(label));
}

function mayBeSecret(value: string): boolean {
  if (value.length < 4 || value === REDACTED) return false;
  return isOpaque(value, 6) || /^\d+$/.test(value) || (value.length >= 16 && !/\s/.test(value));
}

/** Hides texts that stand beside, or in the column of, a label that promises a secret. */
export function redactLabelled(tree: FlatTree): void {
  const columns = new ColumnLabels(tree);
  let label: { text: string; index: number } | null = null;
  for (const [index, node] of tree.nodes.entries()) {
    const header = columns.above(index);
    if (node.name === undefined || index === 0) continue;
    const beside = label !== null && index - label.index <= 4 && READINGS.has(node.role) ? label.text : "";
    if (hidesLabelled(header, node.name) || hidesLabelled(beside, node.name)) node.name = REDACTED;
    if (node.value !== undefined && secrecyOf(node.name) === "secret") node.value = REDACTED;
    if (LABELS.has(node.role) && node.name !== REDACTED) label = { text: node.name, index };
  }
}

const READINGS = new Set(["text", "definition", "cell", "gridcell", "listitem"]);
const LABELS = new Set(["text", "term", "cell", "gridcell", "rowheader", "columnheader", "listitem", "definition"]);

/** Knows which column header stands above a node; nodes must be asked for in order. */
class ColumnLabels {
  readonly #tree: FlatTree;
  readonly #above: string[] = [];
  readonly #headers = new Map<number, string[]>();
  readonly #filled = new Map<number, number>();

  constructor(tree: FlatTree) {
    this.#tree = tree;
  }

  above(index: number): string {
    const parent = this.#tree.parents[index] ?? -1;
    const header = this.#tree.nodes[parent]?.role === "row" ? this.#cell(index, parent) : (this.#above[parent] ?? "");
    this.#above.push(header);
    return header;
  }

  #cell(index: number, row: number): string {
    const place = this.#filled.get(row) ?? 0;
    this.#filled.set(row, place + 1);
    const table = this.#tree.parents[row] ?? -1;
    const headers = this.#headers.get(table) ?? [];
    const node = this.#tree.nodes[index];
    if (node?.role !== "columnheader") return headers[place] ?? "";
    headers[place] = node.name ?? "";
    this.#headers.set(table, headers);
    return "";
  }
}

/** JSON pointers of the strings of a value that hold a redaction mark. */
export function redactedPointers(value: unknown): string[] {
  const found: string[] = [];
  // Most pages have none, and pointers to everything are costly to spell.
  if (JSON.stringify(value)?.includes(REDACTED) !== true) return found;
  const open: [string, unknown][] = [["", value]];
  for (let next = open.pop(); next !== undefined && found.length < MAX_POINTERS; next = open.pop()) {
    const [pointer, item] = next;
    if (typeof item === "string" && item.includes(REDACTED)) found.push(pointer);
    if (typeof item !== "object" || item === null) continue;
    for (const [name, member] of Object.entries(item).reverse()) {
      open.push([`${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, member]);
    }
  }
  return found;
}
