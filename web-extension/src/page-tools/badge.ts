/**
 * Shows that something acts on a tab, or that the person is asked about it: on the toolbar icon, and in the page, where
 * the badge has a Stop button.
 */
import type { FrameAccess } from "./frames";

const WAITING = { text: "!", color: "#b3261e" };
const ACTING = { text: "●", color: "#1a73e8" };

interface Shown {
  tabId: number;
  state: "waiting" | "acting";
}

/** What is shown on which tab, by call. */
export class Badge {
  readonly #frames: FrameAccess;
  readonly #shown = new Map<string, Shown>();
  /** Tabs whose person should open the panel. */
  readonly #calling = new Set<number>();

  constructor(frames: FrameAccess) {
    this.#frames = frames;
  }

  /** A call waits for the person. */
  waits(call: string, tabId: number): void {
    this.#shown.set(call, { tabId, state: "waiting" });
    this.#draw(tabId);
  }

  /** A call acts. */
  acts(call: string, tabId: number): void {
    this.#shown.set(call, { tabId, state: "acting" });
    this.#draw(tabId);
    const text = chrome.i18n.getMessage("pageBadgeActing");
    const stop = chrome.i18n.getMessage("pageBadgeStop");
    this.#frames.tell(tabId, { kind: "sidewire-tool-badge", call, text, stop }, 0);
  }

  /** Somebody should open the panel: nobody could be asked. */
  calls(tabId: number): void {
    this.#calling.add(tabId);
    this.#draw(tabId);
  }

  /** A panel shows the conversation of the tab. */
  seen(tabId: number): void {
    if (this.#calling.delete(tabId)) this.#draw(tabId);
  }

  /** The call is over. */
  ends(call: string): void {
    const shown = this.#shown.get(call);
    if (shown === undefined) return;
    this.#shown.delete(call);
    this.#draw(shown.tabId);
  }

  #draw(tabId: number): void {
    const states = [...this.#shown.values()].filter((shown) => shown.tabId === tabId).map(({ state }) => state);
    if (states.includes("waiting") || this.#calling.has(tabId)) paint(tabId, WAITING);
    else paint(tabId, states.length > 0 ? ACTING : undefined);
  }
}

function paint(tabId: number, look: { text: string; color: string } | undefined): void {
  // The tab may be gone by now; then there is nothing to show.
  chrome.action.setBadgeText({ tabId, text: look?.text ?? "" }).catch(() => undefined);
  if (look !== undefined) chrome.action.setBadgeBackgroundColor({ tabId, color: look.color }).catch(() => undefined);
}
