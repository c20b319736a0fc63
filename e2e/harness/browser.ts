/** A browser with the built extension in a throw-away profile. */
import { type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import identity from "../../contract/identity.json";
import type { Home } from "./home";
import { field } from "./json";
import { Panel } from "./panel";
import { browserProgram, EXTENSION, HOST } from "./paths";

/** The browser runs, but not our extension. */
export class NoExtensionError extends Error {
  override name = "NoExtensionError";
}

/** How to start it. */
export interface BrowserOptions {
  args?: readonly string[];
  /** Starts it without the switch that loads extensions, as where the browser ignores that. */
  withoutSwitch?: boolean;
  /** Leaves the native host out, as where a browser may not start one. */
  withoutHost?: boolean;
  headless?: boolean;
  /** Pixels per pixel, for pictures that stay sharp. */
  deviceScaleFactor?: number;
  /** Pages are as large as their window instead of a fixed size. */
  ownSize?: boolean;
}

/** Where the extension's pages are. */
export const EXTENSION_URL = `chrome-extension://${identity.extensionId}`;

/** An extension that has not started by then will not. */
const LOAD_MS = 15_000;

/** The usual size of the panel. */
const PANEL_SIZE = { width: 380, height: 720 } as const;

const PAGE_SIZE = { width: 1280, height: 800 } as const;

/** A running browser. */
export class Browser {
  readonly context: BrowserContext;

  private constructor(context: BrowserContext) {
    this.context = context;
  }

  /** Starts it in the home's profile, which may have been used before. */
  static async launch(home: Home, options: BrowserOptions = {}): Promise<Browser> {
    if (options.withoutHost !== true) await home.sidewire("install", "--profile", home.profile, "--host-path", HOST);
    const context = await chromium.launchPersistentContext(home.profile, {
      executablePath: browserProgram(),
      headless: options.headless ?? true,
      viewport: options.ownSize === true ? null : PAGE_SIZE,
      ...(options.deviceScaleFactor !== undefined && { deviceScaleFactor: options.deviceScaleFactor }),
      // Who starts it also cleans up after it.
      handleSIGINT: false,
      handleSIGTERM: false,
      env: home.env,
      args: [
        ...(options.withoutSwitch === true ? [] : [`--load-extension=${EXTENSION}`]),
        `--disable-extensions-except=${EXTENSION}`,
        "--enable-unsafe-extension-debugging",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        ...(options.args ?? []),
      ],
    });
    const browser = new Browser(context);
    try {
      await browser.#loadExtension(options.withoutSwitch === true ? 0 : LOAD_MS);
    } catch (error) {
      await context.close();
      throw new NoExtensionError("this browser does not load the extension", { cause: error });
    }
    return browser;
  }

  /** Some browsers ignore the switch; then the protocol may load it. */
  async #loadExtension(patience: number): Promise<void> {
    if (await this.#extensionRuns(patience)) return;
    const session = await this.session();
    await session.send("Extensions.loadUnpacked", { path: EXTENSION });
    if (!(await this.#extensionRuns(LOAD_MS))) throw new Error("its service worker did not start");
  }

  async #extensionRuns(patience: number): Promise<boolean> {
    if (this.context.serviceWorkers().length > 0) return true;
    if (patience === 0) return false;
    return this.context.waitForEvent("serviceworker", { timeout: patience }).then(
      () => true,
      () => false,
    );
  }

  /** Opens a page in a tab, in the browser's first one while that is empty. */
  async open(url: string): Promise<Page> {
    const empty = this.context.pages().find((page) => page.url() === "about:blank");
    const page = empty ?? (await this.context.newPage());
    await page.goto(url);
    return page;
  }

  /**
   * Opens the panel's own document in a tab, beside the page that is in front.
   *
   * The service worker takes the tab used last for the page in front of such a panel.
   */
  async openPanel(): Promise<Panel> {
    const page = await this.context.newPage();
    await page.setViewportSize(PANEL_SIZE);
    await page.goto(`${EXTENSION_URL}/panel.html`);
    return new Panel(page);
  }

  /** What the service worker has kept of questions under way: the pages exactly as they were sent. */
  async sentContexts(): Promise<unknown[]> {
    const [worker] = this.context.serviceWorkers();
    if (worker === undefined) throw new Error("the service worker is not running");
    const kept = await worker.evaluate(async () => Object.entries(await chrome.storage.session.get(null)));
    return kept.filter(([key]) => key.startsWith("turn:")).map(([, turn]) => field(field(turn, "request"), "context"));
  }

  /** A session with the browser itself. */
  async session(): Promise<CDPSession> {
    const browser = this.context.browser();
    if (browser === null) throw new Error("the browser is gone");
    return browser.newBrowserCDPSession();
  }

  /** Closes the browser. */
  async close(): Promise<void> {
    await this.context.close();
  }
}
