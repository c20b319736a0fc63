/** What each method says of a page: our snapshot and page block, Playwright's snapshot, plain text. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Browser } from "../harness/browser";
import { EXTENSION_URL } from "../harness/browser";
import { field } from "../harness/json";
import { WORKER } from "../harness/paths";
import type { FactSheet } from "./facts";
import { PAGES_HOST } from "./site";

/** Bytes that a model may get of a page. */
export const BUDGETS = [4096, 12_288, 49_152] as const;

/** The texts of one page before they are cut. */
export interface Taken {
  /** The snapshot as it crosses the wire. */
  snapshot: unknown;
  aria: string;
  plain: string;
}

const RENDERER = join(WORKER, "..", "examples", "page_block");

/** A browser with one tab for pages and one of the extension's own, from which snapshots are asked for. */
export class Reader {
  readonly #page: Page;
  readonly #panel: Page;

  private constructor(page: Page, panel: Page) {
    this.#page = page;
    this.#panel = panel;
  }

  static async open(browser: Browser): Promise<Reader> {
    const page = await browser.open("about:blank");
    const panel = await browser.context.newPage();
    await panel.goto(`${EXTENSION_URL}/options.html`);
    return new Reader(page, panel);
  }

  /** Opens a page and reads it by every method. */
  async read(sheet: Pick<FactSheet, "page" | "state">): Promise<Taken> {
    const page = await this.show(sheet);
    const snapshot = await this.snapshot();
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    let aria = await page.ariaSnapshot();
    const plain = [await page.evaluate(drawnText)];
    // Neither method reads frames by itself; what is in them is added, so that it is not lost.
    for (const frame of frames) {
      const host = await frame.frameElement();
      if (!(await host.isVisible())) continue;
      aria = withFrame(aria, await frame.locator("body").ariaSnapshot());
      plain.push(await frame.evaluate(drawnText));
    }
    return { snapshot, aria, plain: plain.join("\n") };
  }

  /** Opens a page and waits until it has drawn itself. */
  async show(sheet: Pick<FactSheet, "page" | "state">): Promise<Page> {
    await this.#page.bringToFront();
    await this.#page.goto(`https://${PAGES_HOST}/${sheet.page}.html`, { waitUntil: "load" });
    await this.#page.locator("h1").first().waitFor();
    await sheet.state?.reach(this.#page);
    await this.#page.evaluate(settled);
    return this.#page;
  }

  /** The snapshot of the page in front, as the panel's preview gets it. */
  async snapshot(): Promise<unknown> {
    const ask = () => this.#panel.evaluate(askForPreview, this.#page.url());
    // A capture ends after a second; a machine that does too much else is asked once more.
    return ask().catch(ask);
  }
}

/** Puts what a frame says where the page's snapshot names the next frame, as deep as it stands there. */
function withFrame(page: string, frame: string): string {
  return page.replace(/^( *)- iframe$/m, (_, indent: string) =>
    [`${indent}- iframe:`, ...frame.split("\n").map((line) => `${indent}  ${line}`)].join("\n"),
  );
}

/** Runs in a document: its text as it is drawn. */
function drawnText(): string {
  // biome-ignore lint/performance/useDomNodeTextContent: text that is not drawn is what must not count.
  return document.body.innerText;
}

/** Runs in a page: waits until it is drawn and nothing moves any more. */
async function settled(): Promise<void> {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
}

/** Runs in a page of the extension: plays the panel until it has the preview of the page with this address. */
function askForPreview(url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const port = chrome.runtime.connect({ name: "sidewire-panel" });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      port.disconnect();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error(`no snapshot of ${url}`))), 15_000);
    let key: unknown;
    let page: unknown;
    const ask = () => {
      if (key !== undefined && page === url) port.postMessage({ kind: "preview", requestId: "bench", key });
    };
    port.onMessage.addListener((event) => {
      if (event.kind === "conversation") key = event.conversation.key;
      if (event.kind === "page") page = event.page.url;
      if (event.kind === "conversation" || event.kind === "page") ask();
      if (event.kind === "reply") end(() => resolve(event.body.preview.snapshot));
      if (event.kind === "refused") end(() => reject(new Error(`${event.code}: ${event.message}`)));
    });
    chrome.windows.getCurrent().then(
      ({ id }) => port.postMessage({ kind: "attach", windowId: id }),
      (error: unknown) => end(() => reject(error)),
    );
  });
}

/** The page block of a snapshot within a budget of bytes, by the worker's own code. */
export function renderBlock(snapshot: unknown, budget: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(RENDERER, [String(budget)], { maxBuffer: 1 << 24 }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
    // A program that ended early is told of by its own error.
    child.stdin?.on("error", () => undefined).end(JSON.stringify(snapshot));
  });
}

/** Lines at the head of a block that name the page; no fact may be found there. */
export function withoutHeader(block: string): string {
  const lines = block.split("\n");
  const first = lines.findIndex((line) => !/^(?:url|title|captured|note|selected text): /.test(line));
  return lines.slice(Math.max(0, first)).join("\n");
}

/** The longest start of a text that fits into `bytes` of UTF-8. */
export function cut(text: string, bytes: number): string {
  return new TextDecoder("utf-8").decode(Buffer.from(text).subarray(0, bytes)).replace(/\ufffd$/, "");
}

/** A snapshot's tree as lines in the notation of the block, without any budget; each row on one line. */
export function wireText(snapshot: unknown): string {
  const lines: string[] = [];
  const visit = (node: unknown): void => {
    if (field(node, "role") === "row") lines.push(wordsOf(node).join(" | "));
    lines.push(lineOf(node));
    for (const child of childrenOf(node)) visit(child);
  };
  visit(field(snapshot, "ax"));
  return lines.join("\n");
}

function childrenOf(node: unknown): unknown[] {
  const children = field(node, "children");
  return Array.isArray(children) ? children : [];
}

function wordsOf(node: unknown): string[] {
  const own = [field(node, "name"), field(node, "value")].filter((word) => typeof word === "string");
  return [...own, ...childrenOf(node).flatMap(wordsOf)];
}

const FLAGS = ["disabled", "selected", "invalid", "focused"] as const;

function lineOf(node: unknown): string {
  const name = String(field(node, "name") ?? "");
  if (field(node, "role") === "heading") return `# ${name}`;
  const states: string[] = FLAGS.filter((flag) => field(node, flag) === true);
  const two = {
    checked: ["checked", "unchecked"],
    pressed: ["pressed", "not pressed"],
    expanded: ["expanded", "collapsed"],
  };
  for (const [member, [yes, no]] of Object.entries(two)) {
    const state = field(node, member);
    if (state === true) states.push(String(yes));
    if (state === false) states.push(String(no));
  }
  const value = field(node, "value");
  const ends = `${value === undefined ? "" : ` = ${String(value)}`}${states.length > 0 ? ` (${states.join(", ")})` : ""}`;
  const description = field(node, "description");
  return `${String(field(node, "role"))} "${name}"${ends}${description === undefined ? "" : ` — ${String(description)}`}`;
}
