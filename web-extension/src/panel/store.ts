/**
 * Holds the panel's state and tells the view about it once per frame.
 *
 * Events are reduced at once; drawing waits for the next frame, so a burst of deltas costs one render.
 */
import type { PanelEvent } from "../bridge/panel-port";
import { initialState, type LocalEvent, type PanelState, reduce } from "./state";

/** How long a hidden panel, which gets no animation frames, waits before it draws. */
const HIDDEN_MS = 250;

/** The state, its changes and its one listener. */
export class Store {
  #state: PanelState = initialState();
  #listener: (state: PanelState) => void = () => undefined;
  #scheduled = false;

  get state(): PanelState {
    return this.#state;
  }

  /** Sets who draws; the listener is called at most once per frame. */
  listen(listener: (state: PanelState) => void): void {
    this.#listener = listener;
  }

  dispatch(event: PanelEvent | LocalEvent): void {
    const next = reduce(this.#state, event, Date.now());
    if (next === this.#state) return;
    this.#state = next;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const draw = () => {
      this.#scheduled = false;
      this.#listener(this.#state);
    };
    if (document.visibilityState === "hidden") setTimeout(draw, HIDDEN_MS);
    else requestAnimationFrame(draw);
  }
}
