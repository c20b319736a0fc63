/**
 * Opaque boxes over all that reading would hide, for as long as a picture of the page is taken.
 *
 * A picture is taken by another process at a moment that nobody here is told of. So the places are looked up again after
 * it: only when every box still stands where it was drawn, nothing can have shown beside one.
 */
import type { CoverReply } from "../messages";
import { ToolFault } from "./fault";
import type { Marks } from "./marks";
import type { Box } from "./placing";
import { type SecretPlace, secretPlaces } from "./secret-places";

/** A service worker that died takes no box away; a person must not be left with them. */
const COVERED_MILLISECONDS = 5_000;
/** Drawing takes longer than this only where nothing is painted. */
const DRAWN_MILLISECONDS = 500;
const NOT_DRAWN = "the page did not draw in time";
/** More boxes than this are one. */
const BOXES_MAX = 400;

/** The covers of one document. */
export class Covers {
  readonly #view: Window;
  readonly #marks: Marks;
  #last: { call: string; drawn: string } | null = null;

  constructor(view: Window, marks: Marks) {
    this.#view = view;
    this.#marks = marks;
  }

  /** Covers what is to be hidden now; `steady` says that all of it was covered already, at the same places. */
  async cover(call: string): Promise<CoverReply> {
    const again = this.#last?.call === call && this.#last.drawn !== "[]";
    // A page that is being scrolled is told so only with the next frame.
    if (again && !(await isPainted(this.#view))) throw new ToolFault("failed", NOT_DRAWN);
    const places = secretPlaces(this.#view);
    if (places === null) throw new ToolFault("failed", "the page is too long to know all its secrets");
    const boxes = (): Box[] => shownBoxes(places, this.#view);
    const now = boxes();
    const drawn = JSON.stringify(now);
    const before = this.#last?.call === call ? this.#last.drawn : "[]";
    this.#last = { call, drawn };
    const steady = before === drawn && (now.length === 0 || this.#marks.has(call));
    if (steady) return { ok: true, covered: now.length, steady };
    if (now.length > 0) await this.#draw(call, boxes);
    else this.#marks.end(call, "covers");
    return { ok: true, covered: now.length, steady: false };
  }

  async #draw(call: string, boxes: () => Box[]): Promise<void> {
    if (!this.#marks.cover({ call, milliseconds: COVERED_MILLISECONDS }, boxes))
      throw new ToolFault("failed", "the page has no room for drawings");
    if (!(await isPainted(this.#view))) {
      this.#marks.end(call, "covers");
      throw new ToolFault("failed", NOT_DRAWN);
    }
  }
}

/** The boxes of some places that can be in the picture; a few pixels make up for what is drawn around letters. */
function shownBoxes(places: readonly SecretPlace[], { innerWidth, innerHeight }: Window): Box[] {
  const boxes = places
    .flatMap((place) => rectsOf(place))
    .map(({ left, top, width, height }) => ({
      left: Math.floor(left) - 1,
      top: Math.floor(top) - 1,
      width: Math.ceil(width) + 3,
      height: Math.ceil(height) + 3,
    }))
    .filter(({ left, top, width, height }) => {
      const across = left < innerWidth && left + width > 0;
      return across && top < innerHeight && top + height > 0;
    });
  return boxes.length > BOXES_MAX ? [{ left: 0, top: 0, width: innerWidth, height: innerHeight }] : boxes;
}

function rectsOf(place: SecretPlace): DOMRect[] {
  if (place instanceof Element) return [place.getBoundingClientRect()].filter(isSeen);
  const range = place.ownerDocument.createRange();
  range.selectNodeContents(place);
  return [...range.getClientRects()].filter(isSeen);
}

function isSeen({ width, height }: DOMRect): boolean {
  return width > 0 && height > 0;
}

/** Resolves true once what was drawn has been painted, or nothing of the frame is in view; false when that takes too long. */
function isPainted(view: Window): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (painted: boolean): void => {
      clearTimeout(timer);
      unseen?.disconnect();
      resolve(painted);
    };
    const timer = setTimeout(finish, DRAWN_MILLISECONDS, false);
    const unseen = view === view.parent ? null : whenOutOfView(view, () => finish(true));
    view.requestAnimationFrame(() => view.requestAnimationFrame(() => finish(true)));
  });
}

/** The browser paints no frames of another site that nobody sees. */
function whenOutOfView(view: Window, call: () => void): IntersectionObserver {
  const observer = new IntersectionObserver(([entry]) => {
    if (entry?.isIntersecting === false) call();
  });
  observer.observe(view.document.documentElement);
  return observer;
}
