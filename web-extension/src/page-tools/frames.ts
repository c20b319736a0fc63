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
  /** The same where none may be missing: a frame that is too busy to say what it is fails it too. */
  all(tabId: number): Promise<Frame[]>;
  /** How many documents the page shows, readable or not. */
  count(tabId: number): Promise<number>;
  /** Asks one frame, putting the content script there first where it is missing; undefined when nobody answers. */
  ask(tabId: number, frameId: number, message: ToolMessage, signal?: AbortSignal): Promise<unknown>;
  /** Tells all frames, or one. */
  tell(tabId: number, message: ToolMessage, frameId?: number): void;
}

/** A frame that is busy must not hide the others for longer. */
const LIST_MS = 2_000;
/** A page with more frames than this is made to be a burden. */
export const FRAMES_MAX = 64;

/** The browser's frames. */
export const browserFrames: FrameAccess = {
  async list(tabId) {
    const all = await within(LIST_MS, facts({ tabId, allFrames: true }), null);
    return readable(all ?? (await within(LIST_MS, facts({ tabId, frameIds: [0] }), null)));
  },

  async all(tabId) {
    return readable(await within(LIST_MS, facts({ tabId, allFrames: true }), null));
  },

  async count(tabId) {
    const target = { tabId, frameIds: [0] };
    const counted = chrome.scripting.executeScript({ target, func: countFrames, injectImmediately: true });
    const [main] = (await within(LIST_MS, counted, null)) ?? [];
    if (main?.result === undefined || main.result === null) throw new ToolError("unreadable-page");
    return main.result;
  },

  async ask(tabId, frameId, message, signal) {
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
      // The call may have ended while the script was put there, and its end was told to nobody.
      return signal?.aborted === true ? undefined : await send();
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

function readable(frames: Frame[] | null): Frame[] {
  if (frames === null || frames[0]?.id !== 0) throw new ToolError("unreadable-page");
  return frames.slice(0, FRAMES_MAX);
}

async function facts(target: chrome.scripting.InjectionTarget): Promise<Frame[]> {
  const results = await chrome.scripting.executeScript({ target, func: factsOfFrame, injectImmediately: true });
  const frames = results.flatMap(({ frameId, result }) => (result ? [{ id: frameId, ...result }] : []));
  const focused = focusedOf(frames);
  return frames
    .map(({ id, url, origin }) => ({ id, url, origin, focused: id === focused }))
    .toSorted((a, b) => a.id - b.id);
}

/** What a frame says of itself. */
interface Facts {
  url: string;
  origin: string;
  /** Its position in each `window.frames` from the top down, as `3/0`; "" for the main frame. */
  path: string;
  /** The position of the frame in it that has its focus; -1 for one that has none, null where no frame has it. */
  focus: number | null;
}

/**
 * The frame in which a key would arrive if the person clicked back into the page: while the side panel has the focus, no
 * document says that it has it, but each still knows which of its elements did.
 */
function focusedOf(frames: readonly (Facts & { id: number })[]): number | undefined {
  let at = frames.find(({ path }) => path === "");
  for (let depth = 0; at !== undefined && at.focus !== null && depth < FRAMES_MAX; depth += 1) {
    const path = at.path === "" ? `${at.focus}` : `${at.path}/${at.focus}`;
    at = frames.find((frame) => frame.path === path);
  }
  return at?.id;
}

/** Runs in the main frame, like `factsOfFrame`: also frames that cannot be read can be counted. */
function countFrames(): number {
  const open: Window[] = [window];
  let count = 0;
  for (let view = open.pop(); view !== undefined && count < 200; view = open.pop()) {
    count += 1;
    for (let index = 0; index < Math.min(view.length, 200); index += 1) {
      const child = view[index];
      if (child) open.push(child);
    }
  }
  return count;
}

/** Runs in a frame, in the extension's own world; it is sent there as text and may use nothing from this module. */
function factsOfFrame(): Facts {
  const positionOf = (child: Window, parent: Window): number =>
    Array.from({ length: Math.min(parent.length, 200) }, (_, index) => parent[index]).indexOf(child);
  const path: number[] = [];
  for (let view: Window = window; view !== view.parent && path.length < 32; view = view.parent)
    path.unshift(positionOf(view, view.parent));
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  const frame = active instanceof HTMLIFrameElement || active instanceof HTMLFrameElement ? active : null;
  const focus = frame?.contentWindow ? positionOf(frame.contentWindow, window) : null;
  return { url: location.href, origin: self.origin, path: path.join("/"), focus };
}
