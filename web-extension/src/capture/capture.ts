/**
 * Takes the snapshot of a tab at the moment it is needed: bounded in time and bytes, and only of the page that is
 * still there when it is done.
 */
import type { PageFault } from "../bridge/panel-port";
import type { ApiState, CaptureResult, CaptureTab, PageState } from "./api";
import { assemble } from "./assemble";
import type { ChildReply } from "./merge";
import { mergeFrames } from "./merge";
import type { FrameReply, PageStateReply } from "./messages";
import { frameReply, pageStateReply } from "./messages";
import { isRestricted } from "./restricted";
import { parsedWebUrl } from "./sites";
import type { FrameSender, TabAccess } from "./tab-access";
import { browserTabs } from "./tab-access";

/** Says which addresses may be read, as it is when a capture begins. */
export type LoadAllowed = () => Promise<IsAllowed>;
type IsAllowed = (url: URL) => boolean;

/** Time limits in milliseconds. */
export interface CaptureLimits {
  /** The whole capture, a second attempt included. */
  total: number;
  /** Frames below the main one, after it has answered. */
  frames: number;
}

const LIMITS: CaptureLimits = { total: 1000, frames: 250 };
/** Two attempts: a page that navigates during the first is read once more. */
const ATTEMPTS = 2;

/** Reads every address. */
const everything: LoadAllowed = async () => () => true;

/** Makes a `CaptureTab` over some tabs; of a page, and of each frame in it, only what is allowed is read. */
export function createCaptureTab(
  tabs: TabAccess = browserTabs,
  loadAllowed: LoadAllowed = everything,
  limits: CaptureLimits = LIMITS,
): CaptureTab {
  return async (tabId) => {
    const isAllowed = await loadAllowed();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), limits.total);
    try {
      return await new TabCapture({ tabs, tabId, isAllowed }, { ...limits, signal: deadline.signal }).take();
    } catch {
      return refused("capture-failed");
    } finally {
      clearTimeout(timer);
      deadline.abort();
    }
  };
}

function refused(fault: PageFault): CaptureResult {
  return { ok: false, fault };
}

/** An attempt's end: a result, or the page went away under it. */
type Attempt = CaptureResult | "moved";

/** What a capture may look at. */
interface Reach {
  tabs: TabAccess;
  tabId: number;
  isAllowed: IsAllowed;
}

class TabCapture {
  readonly #tabs: TabAccess;
  readonly #tabId: number;
  readonly #isAllowed: IsAllowed;
  readonly #limits: CaptureLimits & { signal: AbortSignal };

  constructor({ tabs, tabId, isAllowed }: Reach, limits: CaptureLimits & { signal: AbortSignal }) {
    this.#tabs = tabs;
    this.#tabId = tabId;
    this.#isAllowed = isAllowed;
    this.#limits = limits;
  }

  async take(): Promise<CaptureResult> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const result = await before(this.#limits.signal, this.#attempt());
      if (result !== "moved") return result;
    }
    return refused("capture-failed");
  }

  async #attempt(): Promise<Attempt> {
    const tab = await this.#tabs.facts(this.#tabId);
    if (tab === null) return refused("no-tab");
    if (tab.url === undefined) return refused("needs-permission");
    const page = parsedWebUrl(tab.url);
    if (page === null || isRestricted(tab.url)) return refused("restricted-page");
    if (!this.#isAllowed(page)) return refused("blocked-by-policy");
    const token = crypto.randomUUID();
    const main = await this.#main(token);
    if (main === null)
      return refused((await this.#tabs.isGranted(page.origin)) ? "capture-failed" : "needs-permission");
    if (main.viewer) return refused("restricted-page");
    const children = await this.#children(main, token);
    return this.#checked(main, children);
  }

  /** The main document; where no content script is, it is put there and asked once more. */
  async #main(token: string): Promise<FrameReply | null> {
    const ask = { kind: "sidewire-capture", token, frames: "main" } as const;
    const first = await this.#tabs.ask(this.#tabId, ask).catch(() => undefined);
    if (first !== undefined) return frameReply(first, token);
    if (!(await this.#tabs.inject(this.#tabId, "main"))) return null;
    return frameReply(await this.#tabs.ask(this.#tabId, ask), token);
  }

  /** The documents of the frames, as far as they answer in time. */
  async #children(main: FrameReply, token: string): Promise<ChildReply[]> {
    if (main.frames.length === 0) return [];
    const found: ChildReply[] = [];
    const done = new AbortController();
    const all = new Promise<void>((resolve) => {
      const look = async () => {
        if (await this.#isComplete(main, found)) resolve();
      };
      const onMessage = (message: unknown, { frameId, origin }: FrameSender) => {
        const reply = frameReply(message, token);
        if (reply === null || !isOf(reply.url, origin) || found.some((child) => child.frameId === frameId)) return;
        if (!this.#mayShow(reply.url, origin)) return;
        found.push({ frameId, reply });
        look().catch(() => undefined);
      };
      this.#tabs.listen(this.#tabId, onMessage, done.signal);
      this.#askFrames(token, done.signal);
      look().catch(() => undefined);
    });
    await firstOf(all, this.#limits.frames);
    done.abort();
    return found;
  }

  #askFrames(token: string, signal: AbortSignal): void {
    const ask = { kind: "sidewire-capture", token, frames: "children" } as const;
    this.#tabs.broadcast(this.#tabId, ask);
    // Frames without the content script (made later, or on a page that was opened for this once) get it now.
    const again = async () => {
      await this.#tabs.inject(this.#tabId, "all");
      if (!signal.aborted) this.#tabs.broadcast(this.#tabId, ask);
    };
    const timer = setTimeout(() => again().catch(() => undefined), this.#limits.frames / 4);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  }

  async #checked(main: FrameReply, children: readonly ChildReply[]): Promise<Attempt> {
    const now = await this.#tabs.facts(this.#tabId);
    if (now === null) return refused("no-tab");
    if (now.url === undefined || !isSamePage(now.url, main.url)) return "moved";
    if (!this.#mayShow(main.url, "")) return refused("blocked-by-policy");
    const { url, title, api } = main;
    const merged = mergeFrames(main, children);
    const capture = assemble({ tabId: this.#tabId, url, title, api, merged, capturedAt: Date.now() });
    return { ok: true, capture };
  }

  /** Whether what a document says may be used: by its own address, else by the origin that it has inherited. */
  #mayShow(url: string, origin: string): boolean {
    const own = parsedWebUrl(url) ?? parsedWebUrl(origin);
    return own === null || this.#isAllowed(own);
  }

  /** Whether every frame that is seen on the page and can answer has done so. */
  async #isComplete(main: FrameReply, found: readonly ChildReply[]): Promise<boolean> {
    const left = found.map(({ reply }) => reply);
    const open = [main];
    for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
      for (const spot of parent.frames) {
        const path = [...parent.path, spot.position].join("/");
        const place = left.findIndex((reply) => reply.path.join("/") === path);
        if (place >= 0) open.push(...left.splice(place, 1));
        else if (await this.#isReadable(spot.url, parent.url)) return false;
      }
    }
    return true;
  }

  /** A frame can answer when it is of its parent's origin, or granted; not every answer is taken. */
  async #isReadable(url: string, parent: string): Promise<boolean> {
    const frame = parsedWebUrl(url);
    if (frame === null) return url.startsWith("about:") || url.startsWith("blob:");
    if (!this.#isAllowed(frame)) return false;
    return frame.origin === parsedWebUrl(parent)?.origin || (await this.#tabs.isGranted(frame.origin));
  }
}

/** Whether a frame may call itself `url`: the browser says of which origin it is, a taken-over renderer may say anything (S27). */
function isOf(url: string, origin: string): boolean {
  if (url.startsWith("about:") || url.startsWith("blob:")) return true;
  return URL.parse(url)?.origin === origin;
}

/** Whether two URLs show the same page; the fragment may differ. */
function isSamePage(a: string, b: string): boolean {
  return a.replace(/#.*$/s, "") === b.replace(/#.*$/s, "");
}

/** The value of a promise, unless the signal ends first. */
function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(new Error("capture took too long"));
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { once: true });
    work.then(resolve, reject);
  });
}

/** Waits for the first of some work and a time limit. */
async function firstOf(work: Promise<void>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}

/** What the page in a tab says of itself: whether API responses can be captured, and whether something is selected. */
export async function pageStateOf(tabId: number, tabs: TabAccess = browserTabs): Promise<PageState> {
  const answer = await tabs.ask(tabId, { kind: "sidewire-page-state" }).catch(() => null);
  const reply = pageStateReply(answer);
  const api = await apiStateOf(tabId, reply, tabs);
  return reply === null ? { api } : { api, selection: reply.selection };
}

async function apiStateOf(tabId: number, reply: PageStateReply | null, tabs: TabAccess): Promise<ApiState> {
  if (reply?.captured === true) return "captured";
  if (reply?.hooked === true) return "none";
  const url = (await tabs.facts(tabId))?.url;
  const origin = url === undefined ? undefined : parsedWebUrl(url)?.origin;
  return origin !== undefined && (await tabs.isGranted(origin)) ? "needs-reload" : "needs-grant";
}
