/**
 * Shows that something acts on a tab, or that the person is asked about it: on the toolbar icon, and in the page, where
 * one badge with a Stop button stays from a turn's first act to the turn's end.
 */
import type { FrameAccess } from "./frames";

const WAITING = { text: "!", color: "#b3261e" };
const ACTING = { text: "●", color: "#1a73e8" };

interface Acting {
  tabId: number;
  /** Name of the badge in the page, which pages cannot guess. */
  token: string;
}

/** What is shown on which tab. */
export class Badge {
  readonly #frames: FrameAccess;
  /** The tabs of calls that wait for the person. */
  readonly #waiting = new Map<string, number>();
  /** By tab that waits behind another one: the one in front of it, which is what the person sees. */
  readonly #fronts = new Map<number, number>();
  /** What acts, by turn. */
  readonly #acting = new Map<string, Acting>();
  /** Tabs whose person should open the panel. */
  readonly #calling = new Set<number>();

  constructor(frames: FrameAccess) {
    this.#frames = frames;
    void this.#drawAll();
  }

  /** A call waits for the person. */
  waits(call: string, tabId: number): void {
    this.#waiting.set(call, tabId);
    this.#draw(tabId);
    void this.#lookInFront(tabId);
  }

  /** A call does not wait any more. */
  waited(call: string): void {
    const tabId = this.#waiting.get(call);
    this.#waiting.delete(call);
    if (tabId === undefined) return;
    this.#draw(tabId);
    if (!this.#waits(tabId)) this.#setFront(tabId, undefined);
  }

  /** Another tab is in front of a window. */
  tabInFront(): void {
    for (const tabId of new Set(this.#waiting.values())) void this.#lookInFront(tabId);
  }

  /** A turn acts. */
  acts(turn: string, tabId: number): void {
    const acting = this.#acting.get(turn) ?? { tabId, token: crypto.randomUUID() };
    this.#acting.set(turn, acting);
    this.#draw(tabId);
    this.#show(acting);
  }

  /** The turn is over. */
  turnEnded(turn: string): void {
    const acting = this.#acting.get(turn);
    this.#acting.delete(turn);
    if (acting === undefined) return;
    this.#draw(acting.tabId);
    this.#frames.tell(acting.tabId, { kind: "sidewire-tool-end", call: acting.token });
  }

  /** A tab has loaded another document, which knows of no badge. */
  tabLoaded(tabId: number): void {
    this.#draw(tabId);
    for (const acting of this.#acting.values()) if (acting.tabId === tabId) this.#show(acting);
  }

  /** The turn whose badge was pressed in a tab. */
  turnOf(token: string, tabId: number | undefined): string | undefined {
    return [...this.#acting].find(([, acting]) => acting.token === token && acting.tabId === tabId)?.[0];
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

  #show({ tabId, token }: Acting): void {
    const text = chrome.i18n.getMessage("pageBadgeActing");
    const stop = chrome.i18n.getMessage("pageBadgeStop");
    this.#frames.tell(tabId, { kind: "sidewire-tool-badge", call: token, text, stop }, 0);
  }

  async #lookInFront(tabId: number): Promise<void> {
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    const tabs = await chrome.tabs.query({ windowId: tab?.windowId ?? -1 }).catch(() => []);
    const front = tabs.find(({ active }) => active)?.id;
    if (this.#waits(tabId)) this.#setFront(tabId, front === tabId ? undefined : front);
  }

  #setFront(tabId: number, front: number | undefined): void {
    const before = this.#fronts.get(tabId);
    if (before === front) return;
    if (front === undefined) this.#fronts.delete(tabId);
    else this.#fronts.set(tabId, front);
    for (const each of [before, front]) if (each !== undefined) this.#draw(each);
  }

  #waits(tabId: number): boolean {
    return [...this.#waiting.values()].includes(tabId);
  }

  /** The icon may still say what a service worker that died had to say. */
  async #drawAll(): Promise<void> {
    const tabs = await chrome.tabs.query({}).catch(() => []);
    for (const { id } of tabs) if (id !== undefined) this.#draw(id);
  }

  #draw(tabId: number): void {
    const acts = [...this.#acting.values()].some((acting) => acting.tabId === tabId);
    const inFront = [...this.#fronts.values()].includes(tabId);
    if (this.#waits(tabId) || inFront || this.#calling.has(tabId)) paint(tabId, WAITING);
    else paint(tabId, acts ? ACTING : undefined);
  }
}

function paint(tabId: number, look: { text: string; color: string } | undefined): void {
  // The tab may be gone by now; then there is nothing to show.
  chrome.action.setBadgeText({ tabId, text: look?.text ?? "" }).catch(() => undefined);
  if (look !== undefined) chrome.action.setBadgeBackgroundColor({ tabId, color: look.color }).catch(() => undefined);
}
