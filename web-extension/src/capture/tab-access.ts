/** What capture asks of the browser about a tab; the one file of capture's service-worker side that calls it. */
import type { CaptureAsk, PageStateAsk } from "./messages";

/** Path of the content script in the built extension. */
export const CAPTURE_SCRIPT = "content-scripts/capture.js";

/** A tab, as far as the extension may see it. */
export interface TabFacts {
  /** Absent where the extension may not know. */
  url?: string;
}

/** Who sent a message, as the browser vouches for it. */
export interface FrameSender {
  frameId: number;
  origin: string;
}

/** Seam between capture and the browser; tests put a scripted one in its place. */
export interface TabAccess {
  /** The tab; null when there is none. */
  facts(tabId: number): Promise<TabFacts | null>;
  /** Asks the content script of the main frame; rejects when nobody is there. */
  ask(tabId: number, ask: CaptureAsk | PageStateAsk): Promise<unknown>;
  /** Asks all frames at once; they answer by messages of their own. */
  broadcast(tabId: number, ask: CaptureAsk): void;
  /** Puts the content script into the main frame or all frames; false when the browser refuses. */
  inject(tabId: number, frames: "main" | "all"): Promise<boolean>;
  /** Hands over the messages of a tab's frames until the signal ends. */
  listen(tabId: number, onMessage: (message: unknown, sender: FrameSender) => void, signal: AbortSignal): void;
  /** Whether the person has granted this origin for good. */
  isGranted(origin: string): Promise<boolean>;
}

/** The browser's tabs. */
export const browserTabs: TabAccess = {
  async facts(tabId) {
    try {
      const { url } = await chrome.tabs.get(tabId);
      return url === undefined || url === "" ? {} : { url };
    } catch {
      return null;
    }
  },

  ask: (tabId, ask) => chrome.tabs.sendMessage<unknown, unknown>(tabId, ask, { frameId: 0 }),

  broadcast(tabId, ask) {
    // Nobody answers the broadcast itself, and the browser reports that as a failure.
    chrome.tabs.sendMessage(tabId, ask).catch(() => undefined);
  },

  async inject(tabId, frames) {
    const target = frames === "all" ? { tabId, allFrames: true } : { tabId, frameIds: [0] };
    try {
      await chrome.scripting.executeScript({ target, files: [CAPTURE_SCRIPT], injectImmediately: true });
      return true;
    } catch {
      return false;
    }
  },

  listen(tabId, onMessage, signal) {
    const listener = (message: unknown, sender: chrome.runtime.MessageSender) => {
      const own = sender.id === chrome.runtime.id && sender.tab?.id === tabId;
      if (own && sender.frameId !== undefined)
        onMessage(message, { frameId: sender.frameId, origin: originOf(sender) });
      return false;
    };
    chrome.runtime.onMessage.addListener(listener);
    signal.addEventListener("abort", () => chrome.runtime.onMessage.removeListener(listener), { once: true });
  },

  async isGranted(origin) {
    try {
      return await chrome.permissions.contains({ origins: [`${origin}/*`] });
    } catch {
      return false;
    }
  },
};

/** A sandboxed frame has no origin of its own; then that of the address the browser has loaded into it counts. */
function originOf({ origin = "null", url = "" }: chrome.runtime.MessageSender): string {
  return origin === "null" ? (URL.parse(url)?.origin ?? "null") : origin;
}
