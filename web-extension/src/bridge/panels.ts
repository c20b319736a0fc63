/**
 * The panels that are open: one runtime port each, and what it shows.
 *
 * Text of running turns is collected for a moment before it is posted, since a panel draws at most once a frame.
 */
import type { Conversation } from "./conversations";
import type { PanelEvent } from "./panel-port";

/** About one frame; text is gathered this long. */
const GATHER_MS = 24;

/** A panel. It is a view that may vanish at any moment. */
export class Panel {
  readonly windowId: number;
  /** The tab the panel itself is shown in, when it is not in the side. */
  readonly ownTab: number | undefined;
  /** It is the panel, which can put a question to the person; the options page has a port as well. */
  readonly shows: boolean;
  /** The tab in front of it. */
  frontTab: number | undefined;
  conversation: Conversation;
  /** It was told that another conversation waits for the person. */
  elsewhere = false;
  /** Counts looks at the page, so that a slow one does not overwrite a newer one. */
  looks = 0;
  readonly #port: chrome.runtime.Port;
  readonly #gathered = new Map<string, { at: number; text: string }>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(port: chrome.runtime.Port, windowId: number, conversation: Conversation) {
    this.#port = port;
    this.windowId = windowId;
    this.ownTab = port.sender?.tab?.id;
    this.shows = URL.parse(port.sender?.url ?? "")?.pathname === "/panel.html";
    this.conversation = conversation;
  }

  get place(): string {
    return placeOf(this.windowId, this.ownTab);
  }

  /** It is in the side of a window and goes along with the tab in front. */
  follows(windowId: number): boolean {
    return this.windowId === windowId && this.ownTab === undefined;
  }

  /** Posts an event, after all text that came before it. */
  post(event: PanelEvent): void {
    this.#flush();
    this.#deliver(event);
  }

  /** Adds text of a turn, to be posted in a moment. */
  gather(turn: string, at: number, text: string): void {
    const known = this.#gathered.get(turn);
    if (known === undefined) this.#gathered.set(turn, { at, text });
    else known.text += text;
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** The panel is gone, or shows something else: text for it is pointless. */
  discard(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#gathered.clear();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { key } = this.conversation;
    for (const [turn, { at, text }] of this.#gathered) this.#deliver({ kind: "delta", key, turn, at, text });
    this.#gathered.clear();
  }

  #deliver(event: PanelEvent): void {
    try {
      this.#port.postMessage(event);
    } catch {
      // Closed in this very moment; its disconnect event follows.
    }
  }
}

/** Name under which a panel's place is remembered while the service worker is dead. */
export function placeOf(windowId: number, ownTab: number | undefined): string {
  return ownTab === undefined ? `window:${windowId}` : `tab:${ownTab}`;
}

/** Panels by their port. */
export class Panels {
  readonly #all = new Map<chrome.runtime.Port, Panel>();

  get size(): number {
    return this.#all.size;
  }

  add(port: chrome.runtime.Port, panel: Panel): void {
    this.#all.set(port, panel);
  }

  get(port: chrome.runtime.Port): Panel | undefined {
    return this.#all.get(port);
  }

  remove(port: chrome.runtime.Port): Panel | undefined {
    const panel = this.#all.get(port);
    panel?.discard();
    this.#all.delete(port);
    return panel;
  }

  all(): Panel[] {
    return [...this.#all.values()];
  }

  /** Panels that show a conversation. */
  showing(conversation: Conversation): Panel[] {
    return this.all().filter((panel) => panel.conversation.key === conversation.key);
  }

  /** Panels of a window that follow its tabs. */
  inWindow(windowId: number): Panel[] {
    return this.all().filter((panel) => panel.follows(windowId));
  }
}
