/** Everything one test needs, started in order and ended however the test went. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { test as base } from "vitest";
import { Browser, type BrowserOptions } from "./browser";
import { Home } from "./home";
import { MODEL_NAME, ScriptedModel } from "./model";
import type { Panel } from "./panel";
import { ARTIFACTS } from "./paths";
import { browserArgs, CONSOLE_PAGE, type Site, startConsole } from "./site";

/** What a test starts with. */
export interface StageOptions extends BrowserOptions {
  /** Answers come from the page alone. */
  offline?: boolean;
  /** Sites instead of the sample console. */
  sites?: readonly Site[];
}

/** Home, model and sites of one test, and the browsers started in it. */
export class Stage {
  readonly home: Home;
  readonly model: ScriptedModel;
  readonly #sites: readonly Site[];
  readonly #options: StageOptions;
  #browser: Browser | null = null;

  private constructor(home: Home, model: ScriptedModel, options: StageOptions, sites: readonly Site[]) {
    this.home = home;
    this.model = model;
    this.#options = options;
    this.#sites = sites;
  }

  /** Sets the scene; no browser yet. */
  static async set(options: StageOptions = {}): Promise<Stage> {
    const [home, model, sites] = await Promise.all([
      Home.create(),
      ScriptedModel.start(),
      options.sites ?? Promise.all([startConsole()]),
    ]);
    if (options.offline !== true) await chooseModel(home, model);
    return new Stage(home, model, options, sites);
  }

  /** The browser that runs; the first call starts it, as does the first after it was closed. */
  async browser(): Promise<Browser> {
    const { args = [], ...options } = this.#options;
    this.#browser ??= await Browser.launch(this.home, { ...options, args: [...browserArgs(this.#sites), ...args] });
    return this.#browser;
  }

  /** Closes the browser, as at the end of a day. */
  async closeBrowser(): Promise<void> {
    await this.#browser?.close();
    this.#browser = null;
  }

  /** A page and, beside it, a panel that is connected. */
  async begin(url = CONSOLE_PAGE): Promise<{ page: Page; panel: Panel }> {
    const browser = await this.browser();
    const page = await browser.open(url);
    const panel = await browser.openPanel();
    await panel.connected();
    await panel.chip.waitFor();
    return { page, panel };
  }

  /** Keeps what helps to understand a failure. */
  async keepEvidence(name: string): Promise<void> {
    const folder = join(ARTIFACTS, "failed", name.replaceAll(/[^\w]+/g, "-"));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "worker.log"), await this.home.log());
    for (const [number, page] of (this.#browser?.context.pages() ?? []).entries()) {
      await page.screenshot({ path: join(folder, `${number}.png`), timeout: 5_000 }).catch(() => undefined);
    }
  }

  /** Ends and removes everything. */
  async close(): Promise<void> {
    await this.closeBrowser();
    await this.model.close();
    await this.home.close();
    await Promise.all(this.#sites.map((site) => site.close()));
  }
}

async function chooseModel(home: Home, model: ScriptedModel): Promise<void> {
  model.answers((call) => call.say("ready"));
  await home.sidewire("setup", "--kind", "openai", "--base-url", model.baseUrl, "--model", MODEL_NAME, "--yes");
  model.answers(null);
  model.calls.length = 0;
}

/** A test that may set one or more stages. */
export const test = base.extend<{ set: (options?: StageOptions) => Promise<Stage> }>({
  set: async ({ task }, use) => {
    const stages: Stage[] = [];
    await use(async (options) => {
      const stage = await Stage.set(options);
      stages.push(stage);
      return stage;
    });
    for (const stage of stages) {
      if ((task.result?.errors?.length ?? 0) > 0) await stage.keepEvidence(task.name);
      await stage.close();
    }
  },
});
