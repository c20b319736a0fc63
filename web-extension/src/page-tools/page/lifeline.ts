/**
 * A port to the service worker for as long as something is under way here: when the service worker dies, the browser
 * closes the port, and what nobody would end any more ends with it.
 */
import { TOOLS_PORT } from "../messages";

/** The line of one frame. */
export class Lifeline {
  readonly #cut: () => void;
  readonly #held = new Set<string>();
  #port: chrome.runtime.Port | null = null;

  /** `cut` is called when the line breaks while something holds it. */
  constructor(cut: () => void) {
    this.#cut = cut;
  }

  /** Something that needs the service worker begins. */
  hold(name: string): void {
    this.#held.add(name);
    if (this.#port !== null) return;
    try {
      this.#open();
    } catch {
      // The extension was updated or removed under this page.
      this.#broke();
    }
  }

  /** It is over. */
  drop(name: string): void {
    if (!this.#held.delete(name) || this.#held.size > 0) return;
    const port = this.#port;
    this.#port = null;
    port?.disconnect();
  }

  #open(): void {
    const port = chrome.runtime.connect({ name: TOOLS_PORT });
    this.#port = port;
    port.onDisconnect.addListener(() => {
      if (this.#port === port) this.#broke();
    });
  }

  #broke(): void {
    this.#port = null;
    this.#held.clear();
    this.#cut();
  }
}
