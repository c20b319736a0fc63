/**
 * Keeps a piece of the document equal to Markdown that grows.
 *
 * Blocks that can no longer change keep their nodes; only what follows them is parsed again. The caller decides how
 * often to update (once per frame is enough).
 */
import type { Token, Tokens } from "marked";
import { visibleText } from "../visible-text";
import { morphChildren } from "./morph";
import {
  blocksOf,
  closeOpenMarks,
  definitionOf,
  holdBackTableHeader,
  isInvisible,
  openHeadings,
  withHeadingLevel,
} from "./parse";
import { renderBlock } from "./render";

/** A block that may still change, and what its element shows of it. */
interface Open {
  element: HTMLElement;
  raw: string;
  complete: boolean;
}

/** Renders Markdown into one element. */
export class MarkdownView {
  readonly #root: HTMLElement;
  /** The source whose blocks are final. */
  #settled = "";
  #headings: number[] = [];
  readonly #links = new Map<string, Tokens.Def>();
  #open: Open[] = [];
  #finished: string | null = null;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  /** Shows `markdown`; when it is complete nothing is held back any more. */
  update(markdown: string, complete: boolean): void {
    const source = visibleText(markdown).replaceAll(/\r\n?/g, "\n");
    if (complete && source === this.#finished) return;
    const stale = this.#finished !== null || !source.startsWith(this.#settled);
    if (stale || (complete && this.#definesLinks(source))) this.#reset();
    const tail = source.slice(this.#settled.length);
    this.#showTail(complete ? tail : holdBackTableHeader(tail), complete);
    this.#finished = complete ? source : null;
  }

  /** A definition may come after the block that uses it: then, once, everything is rendered again. */
  #definesLinks(source: string): boolean {
    const tail = source.slice(this.#settled.length);
    return this.#links.size > 0 || blocksOf(tail, this.#links).some((block) => definitionOf(block) !== null);
  }

  #reset(): void {
    this.#links.clear();
    this.#settled = "";
    this.#headings = [];
    this.#open = [];
    this.#root.replaceChildren();
  }

  #showTail(tail: string, complete: boolean): void {
    const blocks = blocksOf(tail, this.#links);
    const last = blocks.findLastIndex((block) => !isInvisible(block));
    let headings = this.#headings;
    let position = 0;
    for (const [index, block] of blocks.entries()) {
      if (isInvisible(block)) continue;
      headings = openHeadings(headings, block);
      const final = complete || index < last;
      const shown = final ? block : this.#unfinished(block);
      this.#showBlock(position, withHeadingLevel(shown, headings), final);
      position += 1;
    }
    for (const surplus of this.#open.splice(position)) surplus.element.remove();
    if (last > 0) this.#settle(blocks.slice(0, last));
  }

  /** The block as it would be if its last line were complete. */
  #unfinished(block: Token): Token {
    if (block.type === "code" || block.type === "html") return block;
    const closed = closeOpenMarks(block.raw);
    return closed === block.raw ? block : (blocksOf(closed, this.#links)[0] ?? block);
  }

  #showBlock(position: number, block: Token, complete: boolean): void {
    const known = this.#open[position];
    if (known === undefined) {
      const element = document.createElement("div");
      element.className = "md-block";
      element.append(renderBlock(block, complete));
      this.#root.append(element);
      this.#open.push({ element, raw: block.raw, complete });
      return;
    }
    if (known.raw === block.raw && known.complete === complete) return;
    morphChildren(known.element, renderBlock(block, complete));
    known.raw = block.raw;
    known.complete = complete;
  }

  #settle(blocks: Token[]): void {
    for (const block of blocks) {
      this.#settled += block.raw;
      this.#headings = openHeadings(this.#headings, block);
      const definition = definitionOf(block);
      if (definition !== null) this.#links.set(definition.tag, definition);
      if (!isInvisible(block)) this.#open.shift();
    }
  }
}
