/** The real side panel. Playwright does not list it among its pages, so it is driven by the protocol beneath. */
import { writeFile } from "node:fs/promises";
import type { CDPSession, Page } from "playwright-core";
import identity from "../../contract/identity.json";
import { type Browser, EXTENSION_URL } from "./browser";
import { field } from "./json";
import { until } from "./until";

/** A panel that has not opened by then will not. */
const CLICK_AGAIN_MS = 5_000;

type Target = { targetId: string; type: string; url: string };

/** The panel that the browser shows beside a page. */
export class SidePanel {
  readonly #session: CDPSession;
  readonly #id: string;
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #last = 0;

  private constructor(session: CDPSession, id: string) {
    this.#session = session;
    this.#id = id;
    session.on("Target.receivedMessageFromTarget", ({ sessionId, message }) => {
      if (sessionId === id) this.#receive(JSON.parse(message));
    });
  }

  /** Clicks the extension's toolbar icon on a page, as a person does, and takes the panel that opens. */
  static async open(browser: Browser, page: Page): Promise<SidePanel> {
    const session = await browser.session();
    await page.bringToFront();
    const known = new Set((await panelTargets(session)).map(({ targetId }) => targetId));
    let clickedAt = 0;
    const opened = await until("a side panel", async () => {
      const found = (await panelTargets(session)).find(({ targetId }) => !known.has(targetId));
      if (found !== undefined || Date.now() < clickedAt + CLICK_AGAIN_MS) return found;
      // A busy browser loses a click now and then; whoever sees no panel clicks again.
      clickedAt = Date.now();
      await clickIcon(session, page.url());
      return undefined;
    });
    const { sessionId } = await session.send("Target.attachToTarget", { targetId: opened.targetId, flatten: false });
    return new SidePanel(session, sessionId);
  }

  /** The value of an expression in the panel's document. */
  async evaluate(expression: string): Promise<unknown> {
    const answer = await this.#send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    return field(field(answer, "result"), "value");
  }

  /** All text that the panel shows. */
  async text(): Promise<string> {
    return String(await this.evaluate("document.body.innerText"));
  }

  /** Waits until the panel shows a text. */
  async shows(text: string): Promise<void> {
    await until(`“${text}” in the side panel`, async () => ((await this.text()).includes(text) ? true : undefined));
  }

  /** Writes a question and sends it. */
  async ask(text: string): Promise<void> {
    await this.evaluate("document.querySelector('.composer textarea').focus()");
    await this.#send("Input.insertText", { text });
    await this.#strike({ key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" });
  }

  /** Presses the button of that name or text, once it can be pressed. */
  async press(name: string): Promise<void> {
    const find = `[...document.querySelectorAll("button")].find((button) => button.ariaDisabled !== "true" &&
      [button.ariaLabel, button.textContent.trim()].includes(${JSON.stringify(name)}))`;
    await this.waits(`a button “${name}”`, `${find} !== undefined`);
    await this.evaluate(`${find}.click()`);
  }

  /** Begins a new conversation and waits until it is shown. */
  async beginAnew(): Promise<void> {
    await this.press("New conversation");
    await this.waits("a new conversation", "document.querySelector('.turn') === null");
  }

  /** Chooses a mode by its name. */
  async choose(mode: string): Promise<void> {
    const find = `[...document.querySelectorAll("label.choice")].find((label) =>
      label.textContent.startsWith(${JSON.stringify(mode)}))`;
    // A conversation that arrives meanwhile closes the list.
    const open = `document.querySelector("label.choice") ??
      document.querySelector("button[aria-label^='Kind of answer']").click()`;
    await this.waits(`the mode “${mode}”`, `(${open}, ${find} !== undefined)`);
    await this.evaluate(`${find}.click()`);
    await this.waits(`${mode} to be the mode`, `document.querySelector("button[aria-label$='${mode}']") !== null`);
    await this.#strike({ key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 });
  }

  /** Waits until an expression is true in the panel's document. */
  async waits(what: string, expression: string): Promise<void> {
    await until(what, async () => ((await this.evaluate(expression)) === true ? true : undefined));
  }

  /** Closes it, as the person does. */
  async close(): Promise<void> {
    const before = (await panelTargets(this.#session)).length;
    await this.#send("Runtime.evaluate", { expression: "setTimeout(() => window.close())" });
    await until("the side panel to close", async () =>
      (await panelTargets(this.#session)).length < before ? true : undefined,
    );
  }

  /** Shows it in a theme from now on. */
  async theme(theme: "light" | "dark"): Promise<void> {
    await this.#send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: theme }] });
  }

  /** Takes a picture of it. */
  async screenshot(path?: string): Promise<Buffer> {
    const picture = field(await this.#send("Page.captureScreenshot", { format: "png" }), "data");
    const bytes = Buffer.from(String(picture), "base64");
    if (path !== undefined) await writeFile(path, bytes);
    return bytes;
  }

  async #strike(key: Record<string, string | number>): Promise<void> {
    await this.#send("Input.dispatchKeyEvent", { type: "keyDown", ...key });
    await this.#send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  }

  async #send(method: string, params: Record<string, unknown>): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    const answered = new Promise<unknown>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    const message = JSON.stringify({ id, method, params });
    await this.#session.send("Target.sendMessageToTarget", { sessionId: this.#id, message });
    const answer = await answered;
    const error = field(answer, "error");
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return field(answer, "result");
  }

  #receive(answer: unknown): void {
    const id = field(answer, "id");
    if (typeof id !== "number") return;
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}

async function panelTargets(session: CDPSession): Promise<Target[]> {
  const { targetInfos } = await session.send("Target.getTargets");
  return targetInfos.filter(({ type, url }) => type === "page" && url.startsWith(`${EXTENSION_URL}/panel.html`));
}

async function clickIcon(session: CDPSession, url: string): Promise<void> {
  const { targetInfos } = await session.send("Target.getTargets", { filter: [{}] });
  const tab = targetInfos.find((target) => target.type === "tab" && target.url === url);
  if (tab === undefined) throw new Error(`no tab shows ${url}`);
  await session.send("Extensions.triggerAction", { id: identity.extensionId, targetId: tab.targetId });
}
