/** The panel as a person uses it: words for what they do and see, so that tests need no selectors. */
import type { Locator, Page } from "playwright-core";
import { PATIENCE_MS, untilEqual } from "./until";

/** One question and what came of it. */
export class Turn {
  readonly root: Locator;

  constructor(root: Locator) {
    this.root = root;
  }

  /** The answer's text as shown. */
  get answer(): Locator {
    return this.root.locator(".markdown");
  }

  /** The error card. */
  get error(): Locator {
    return this.root.locator(".card-error");
  }

  /** Waits until the answer reads exactly so. */
  async answers(text: string): Promise<void> {
    await untilEqual("the answer", text, async () => (await this.answer.textContent())?.trim());
  }

  /** Waits until the turn is over with an answer. */
  async done(): Promise<void> {
    await this.root.locator(".answer-actions").waitFor();
  }

  /** Waits for a text in the turn. */
  async shows(text: string): Promise<void> {
    await this.root.getByText(text, { exact: false }).first().waitFor();
  }
}

/** A panel in a tab. */
export class Panel {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE_MS);
  }

  /** Where questions are written. */
  get composer(): Locator {
    return this.page.getByRole("textbox", { name: "Your question" });
  }

  /** The row that says which page goes along. */
  get chip(): Locator {
    return this.page.getByRole("region", { name: "Page for the next question" });
  }

  /** The model's name in the header. */
  get model(): Locator {
    return this.page.locator(".model-name");
  }

  /** What says why there is no connection. */
  get linkCard(): Locator {
    return this.page.locator(".card-link");
  }

  /** The turns that are shown. */
  get turns(): Locator {
    return this.page.locator(".turn");
  }

  /** A turn by its number from 0; −1 is the last. */
  turn(number = -1): Turn {
    return new Turn(this.turns.nth(number));
  }

  /** Waits until there is a connection to the worker. */
  async connected(): Promise<void> {
    await this.model.waitFor();
  }

  /** Waits until the page in front was recognised. */
  async sees(title: string): Promise<void> {
    await this.chip.getByText(title).waitFor();
  }

  /** Asks a question; gives the turn that comes of it. */
  async ask(text: string): Promise<Turn> {
    const number = await this.turns.count();
    await this.composer.fill(text);
    await this.composer.press("Enter");
    const turn = this.turn(number);
    await turn.root.waitFor();
    return turn;
  }

  /** Begins a new conversation and waits until it is shown. */
  async beginAnew(): Promise<void> {
    await this.press("New conversation");
    await untilEqual("the number of turns", 0, () => this.turns.count());
  }

  /** Chooses a mode by its name. */
  async choose(mode: string): Promise<void> {
    await this.page.getByRole("button", { name: /^Kind of answer/ }).click();
    await this.page.getByRole("radio", { name: mode }).check();
    await this.page.keyboard.press("Escape");
  }

  /** Presses a button by its name. */
  async press(name: string): Promise<void> {
    await this.page.getByRole("button", { name, exact: true }).first().click();
  }

  /** Waits for a text anywhere. */
  async shows(text: string): Promise<void> {
    await this.page.getByText(text, { exact: false }).first().waitFor();
  }

  /** Pairs with a worker by what `sidewire pair` printed. */
  async pair(printed: string): Promise<void> {
    const code = /sidewire:\S+/.exec(printed)?.[0] ?? "";
    await this.page.getByText("Pair without the helper").click();
    await this.page.getByRole("textbox", { name: "Pairing line" }).fill(code);
    await this.press("Pair");
  }

  /** Ends the extension's service worker, as the browser may do at any time. */
  async stopServiceWorker(): Promise<void> {
    const session = await this.page.context().newCDPSession(this.page);
    await session.send("ServiceWorker.enable");
    await session.send("ServiceWorker.stopAllWorkers");
    await session.detach();
  }

  /** Opens the history. */
  async history(): Promise<Locator> {
    await this.press("History");
    return this.page.getByRole("dialog", { name: "History" });
  }

  /** Opens the same panel anew, as after closing it. */
  async reopen(): Promise<void> {
    await this.page.reload();
  }
}
