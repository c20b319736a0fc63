/** What page tools ask of the frames of a tab; the one file of theirs that talks to content scripts. */
import { CAPTURE_SCRIPT } from "../capture/tab-access";
import { within } from "../shared/within";
import { ToolError } from "./errors";
import type { ToolMessage } from "./messages";

/** A document of a tab that the extension may read. */
export interface Frame {
  id: number;
  url: string;
  /** As the browser sees it: inherited by an empty document, "null" in a sandbox. */
  origin: string;
  /** It holds the keyboard focus. */
  focused: boolean;
}

/** Seam between page tools and content scripts; tests put a scripted one in its place. */
export interface FrameAccess {
  /** The readable frames, the main one first; fails as `unreadable-page` when that cannot be read. */
  list(tabId: number): Promise<Frame[]>;
  /** Asks one frame, putting the content script there first where it is missing; undefined when nobody answers. */
  ask(tabId: number, frameId: number, message: ToolMessage): Promise<unknown>;
  /** Tells all frames, or one. */
  tell(tabId: number, message: ToolMessage, frameId?: number): void;
}

/** A frame that is busy must not hide the others for longer. */
const LIST_MS = 2_000;
/** A page with more frames than this is made to be a burden. */
const FRAMES_MAX = 64;

/** The browser's frames. */
export const browserFrames: FrameAccess = {
  async list(tabId) {
    const all = await within(LIST_MS, facts({ tabId, allFrames: true }), null);
    const frames = all ?? (await within(LIST_MS, facts({ tabId, frameIds: [0] }), null));
    if (frames === null || frames[0]?.id !== 0) throw new ToolError("unreadable-page");
    return frames.slice(0, FRAMES_MAX);
  },

  async ask(tabId, frameId, message) {
    const send = (): Promise<unknown> => chrome.tabs.sendMessage<unknown, unknown>(tabId, message, { frameId });
    try {
      return await send();
    } catch (error) {
      // Only when nobody was there: a frame that went away while it worked must not be asked to do it twice.
      if (!(error instanceof Error) || !error.message.includes("Receiving end does not exist")) return undefined;
    }
    try {
      const target = { tabId, frameIds: [frameId] };
      await chrome.scripting.executeScript({ target, files: [CAPTURE_SCRIPT], injectImmediately: true });
      return await send();
    } catch {
      return undefined;
    }
  },

  tell(tabId, message, frameId) {
    const options = frameId === undefined ? {} : { frameId };
    // Nobody answers it, and the browser reports that as a failure.
    chrome.tabs.sendMessage(tabId, message, options).catch(() => undefined);
  },
};

async function facts(target: chrome.scripting.InjectionTarget): Promise<Frame[]> {
  const results = await chrome.scripting.executeScript({ target, func: factsOfFrame, injectImmediately: true });
  const frames = results.flatMap(({ frameId, result }) => (result ? [{ id: frameId, ...result }] : []));
  return frames.toSorted((a, b) => a.id - b.id);
}

/** Runs in a frame, in the extension's own world; it is sent there as text and may use nothing from this module. */
function factsOfFrame(): { url: string; origin: string; focused: boolean } {
  const active = document.activeElement;
  const below = active instanceof HTMLIFrameElement || active instanceof HTMLFrameElement;
  return { url: location.href, origin: self.origin, focused: document.hasFocus() && !below };
}
