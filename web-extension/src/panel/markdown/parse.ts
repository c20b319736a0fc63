/**
 * Markdown to blocks, and a block to HTML text. Raw HTML in the source is shown as the text it is; pictures are named
 * but never loaded. The result still has to pass the sanitiser.
 */
import { Lexer, Marked, type RendererObject, type Token, type Tokens } from "marked";
import { t } from "../i18n";

/** Link definitions of finished blocks, which later blocks may use. */
export type LinkDefinitions = ReadonlyMap<string, Tokens.Def>;

const TOP_LEVEL = 3;
const LOWEST_LEVEL = 6;

const renderer: RendererObject = {
  html: ({ text }) => (/^<br\s*\/?>\s*$/i.test(text) ? "<br>" : escapeHtml(text)),
  image: ({ text, href }) => `<em>${escapeHtml(t("imageNotLoaded", text === "" ? href : text))}</em>`,
  checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
};

const marked = new Marked({ gfm: true, renderer });

/** Splits Markdown into its top-level blocks. */
export function blocksOf(source: string, links: LinkDefinitions): Token[] {
  const lexer = new Lexer(marked.defaults);
  Object.assign(lexer.tokens.links, Object.fromEntries(links));
  return lexer.lex(source);
}

/** HTML text of one block. */
export function htmlOf(block: Token): string {
  return marked.parser([block]);
}

/** The link definition that a block is, or null. */
export function definitionOf(block: Token): Tokens.Def | null {
  return isDefinition(block) ? block : null;
}

/** Plugins could add kinds of tokens; there are none here. */
function isDefinition(block: Token): block is Tokens.Def {
  return block.type === "def";
}

/** True for blocks that make nothing visible. */
export function isInvisible(block: Token): boolean {
  return block.type === "space" || block.type === "def";
}

/**
 * The open heading depths after one more block. Models start at any depth and skip some; the levels shown follow
 * each other, because a screen reader's outline depends on it.
 */
export function openHeadings(open: number[], block: Token): number[] {
  const depth: unknown = block.type === "heading" && "depth" in block ? block.depth : null;
  return typeof depth === "number" ? [...open.filter((other) => other < depth), depth] : open;
}

/** The block with its heading at the level that belongs to the open depths. */
export function withHeadingLevel(block: Token, open: readonly number[]): Token {
  const level = Math.min(TOP_LEVEL + Math.max(open.length, 1) - 1, LOWEST_LEVEL);
  return block.type === "heading" ? { ...block, depth: level } : block;
}

/**
 * Source without its last line when that is a table header still being typed: shown as text it would turn into a
 * table a moment later and move everything.
 */
export function holdBackTableHeader(source: string): string {
  const start = source.lastIndexOf("\n\n") + 1;
  const last = source.slice(start).trimStart();
  if (!last.startsWith("|")) return source;
  const lines = last.split("\n");
  const delimiter = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$/;
  const isTable = lines.length > 2 || delimiter.test(lines[1] ?? "");
  return isTable ? source : source.slice(0, start);
}

/**
 * A block's source with its last line's open code or strong marks closed, so that half-typed marks do not flash as
 * stars while the text streams.
 */
export function closeOpenMarks(source: string): string {
  const line = source.slice(source.lastIndexOf("\n") + 1);
  if (oddCount(line, /`/g)) return line.endsWith("`") ? source.slice(0, -1) : `${source}\``;
  if (!oddCount(line, /\*\*/g)) return source;
  return line.endsWith("**") ? source.slice(0, -2) : `${source.trimEnd()}**`;
}

function oddCount(text: string, mark: RegExp): boolean {
  return [...text.matchAll(mark)].length % 2 === 1;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
