/**
 * Joins the pieces of text that a person reads as one, however markup splits them ("para <b>bold</b> text"), and
 * keeps apart those that stand in different boxes.
 */
import { styleOf } from "./visibility";

const EDGES_MAX = 8;
/** Pixels of a gap that a person sees as one. */
const GAP = 5;

/** A run being collected; `flush` hands it over. */
export class TextRun {
  #text = "";
  /** Elements whose edges were crossed since the last piece, as far as they matter. */
  #edges: Element[] = [];
  quiet = false;

  /** Adds a piece. Returns false when it belongs to a new run. */
  accepts(piece: string, quiet: boolean): boolean {
    if (this.#text === "") return true;
    if (quiet !== this.quiet) return false;
    const touches = !/\s$/.test(this.#text) && !/^\s/.test(piece);
    return !(touches && this.#edges.some(standsApart));
  }

  add(piece: string, quiet: boolean): void {
    this.#text += piece;
    this.quiet = quiet;
    this.#edges = [];
  }

  /** Notes that the start or end of an inline element was passed. */
  cross(element: Element): void {
    if (this.#text !== "" && this.#edges.length < EDGES_MAX) this.#edges.push(element);
  }

  take(): string {
    const text = this.#text;
    this.#text = "";
    this.#edges = [];
    return text;
  }
}

/** An element of an inline tag may still be a box (a flex item, an inline block, a styled cell) or keep a distance. */
function standsApart(element: Element): boolean {
  const style = styleOf(element);
  if (style === null || style.display === "contents") return false;
  return (
    style.display !== "inline" || [style.marginLeft, style.marginRight].some((gap) => Number.parseFloat(gap) > GAP)
  );
}

const INLINE_TAGS = new Set(
  (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q ruby rb rt s samp small " +
    "span strike strong sub sup time tt u var wbr slot"
  ).split(" "),
);

/** Whether a tag is part of the text around it. */
export function isInline(tag: string): boolean {
  return INLINE_TAGS.has(tag);
}
