/**
 * Speaks to the content script of a page as our service worker does, without a worker, a model or a panel: from the
 * service worker itself, by its own messages.
 */
import type { Page } from "playwright-core";
import type { Browser } from "../harness/browser";

/** What a content script answers. */
export interface Reply {
  ok: boolean;
  text?: string;
  code?: string;
  detail?: string;
  /** What it found, or read. */
  data?: { text?: string; total: number; candidates?: unknown[] };
}

/** More about one call. */
export interface CallOptions {
  call?: string;
  frameId?: number;
  prefix?: string;
  confirmed?: boolean;
  mayTypeSecrets?: boolean;
}

/** The tools of one tab. */
export class TabTools {
  readonly #browser: Browser;
  readonly #tabId: number;
  #calls = 0;

  private constructor(browser: Browser, tabId: number) {
    this.#browser = browser;
    this.#tabId = tabId;
  }

  /** For the tab that shows a page; its content script must have started. */
  static async of(browser: Browser, page: Page): Promise<TabTools> {
    const [worker] = browser.context.serviceWorkers();
    if (worker === undefined) throw new Error("the service worker is not running");
    const tabId = await worker.evaluate(async (url) => (await chrome.tabs.query({ url }))[0]?.id, page.url());
    if (tabId === undefined) throw new Error("the page is in no tab");
    return new TabTools(browser, tabId);
  }

  /** Runs a tool. */
  run(tool: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<Reply> {
    const { frameId = 0, call = this.#next(), ...more } = options;
    return this.send({ kind: "sidewire-tool", call, tool, arguments: args, ...more }, frameId);
  }

  /** Asks what a tool would act on. */
  target(call: string, tool: string, args: Record<string, unknown>): Promise<Reply> {
    return this.send({ kind: "sidewire-tool-target", call, tool, arguments: args }, 0);
  }

  /** Ends a call. */
  async end(call: string): Promise<void> {
    await this.tell({ kind: "sidewire-tool-end", call });
  }

  /** Sends what needs no answer. */
  async tell(message: Record<string, unknown>): Promise<void> {
    await this.#worker().evaluate(
      ({ tabId, message }) => chrome.tabs.sendMessage(tabId, message).catch(() => undefined),
      { tabId: this.#tabId, message },
    );
  }

  /** Sends a message to a frame and gives the answer. */
  async send(message: Record<string, unknown>, frameId: number): Promise<Reply> {
    return this.#worker().evaluate(
      ({ tabId, message, frameId }) => chrome.tabs.sendMessage<unknown, Reply>(tabId, message, { frameId }),
      { tabId: this.#tabId, message, frameId },
    );
  }

  /** The id of the frame below the main one. */
  async childFrame(): Promise<number> {
    const found = await this.#worker().evaluate(async (tabId) => {
      const results = await chrome.scripting.executeScript({
        target: { tabId, allFrames: true },
        func: () => window !== window.top,
      });
      return results.find(({ result }) => result === true)?.frameId;
    }, this.#tabId);
    if (found === undefined) throw new Error("the page has no frame");
    return found;
  }

  #worker() {
    const [worker] = this.#browser.context.serviceWorkers();
    if (worker === undefined) throw new Error("the service worker is not running");
    return worker;
  }

  #next(): string {
    this.#calls += 1;
    return `call-${this.#calls}`;
  }
}
