/**
 * Follows the end of the transcript, but only for a person who is at the end.
 *
 * Sizes are read when something changed, never at start: a side panel has no size yet when its script first runs.
 */

/** Closer to the end than this counts as being there. */
const NEAR_PX = 40;

/** Keeps a scroller at its end while the person stays there. */
export class EndFollower {
  readonly #scroller: HTMLElement;
  readonly #changed: (atEnd: boolean) => void;
  #atEnd = true;
  #top = 0;

  constructor(scroller: HTMLElement, content: HTMLElement, changed: (atEnd: boolean) => void, signal: AbortSignal) {
    this.#scroller = scroller;
    this.#changed = changed;
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true, signal });
    const sizes = new ResizeObserver(() => this.stick());
    sizes.observe(scroller);
    sizes.observe(content);
    signal.addEventListener("abort", () => sizes.disconnect());
  }

  get atEnd(): boolean {
    return this.#atEnd;
  }

  /** Goes to the end and stays there. */
  toEnd(): void {
    this.#set(true);
    this.stick();
  }

  /** Goes to the end again after the content changed, if the person was there. */
  stick(): void {
    if (!this.#atEnd) return;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#top = this.#scroller.scrollTop;
  }

  /** Growing content alone takes nobody away from the end; only moving up does. */
  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const movedUp = scrollTop < this.#top - 1;
    this.#top = scrollTop;
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) this.#set(true);
    else if (movedUp) this.#set(false);
  }

  #set(atEnd: boolean): void {
    if (atEnd === this.#atEnd) return;
    this.#atEnd = atEnd;
    this.#changed(atEnd);
  }
}
