/** A browser with the built extension in a throw-away profile. */
import { type BrowserContext, chromium, type Page, type Worker } from "playwright-core";
import identity from "../../contract/identity.json";
import type { Home } from "./home";
import { browserProgram, EXTENSION, HOST } from "./paths";

export interface BrowserOptions {
  args?: string[];
  /** Leaves the native host out, as where a browser may not start one. */
  withoutHost?: boolean;
  headless?: boolean;
  extension?: string;
}

export class Browser {
  private constructor(readonly context: BrowserContext) {}

  static async launch(home: Home, options: BrowserOptions = {}): Promise<Browser> {
    if (options.withoutHost !== true) await home.sidewire("install", "--profile", home.profile, "--host-path", HOST);
    const extension = options.extension ?? EXTENSION;
    const context = await chromium.launchPersistentContext(home.profile, {
      executablePath: browserProgram(),
      headless: options.headless ?? true,
      viewport: null,
      env: stringsOnly(home.env),
      args: [
        `--load-extension=${extension}`,
        `--disable-extensions-except=${extension}`,
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        "--no-first-run",
        ...(options.args ?? []),
      ],
    });
    const browser = new Browser(context);
    await browser.serviceWorker();
    return browser;
  }

  async serviceWorker(): Promise<Worker> {
    return this.context.serviceWorkers()[0] ?? this.context.waitForEvent("serviceworker");
  }

  async open(url: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(url);
    return page;
  }

  /**
   * The panel's own document in a tab, beside the page in front. `window.open` would make it the active tab, and the
   * panel is about the active tab of its window, so it gets a window of its own and is told which one to watch.
   */
  async close(): Promise<void> {
    await this.context.close();
  }
}

export const EXTENSION_URL = `chrome-extension://${identity.extensionId}`;

function stringsOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
