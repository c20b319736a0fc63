/**
 * Shows Sidewire at work on the sample console, in a throw-away browser profile and home: with a display in a window
 * in which a person can chat, else by itself with three questions. Nothing of it stays but a picture.
 */
import { join, relative } from "node:path";
import type { Page } from "playwright-core";
import { Browser, NoExtensionError } from "./harness/browser";
import { Home } from "./harness/home";
import type { Panel } from "./harness/panel";
import { ARTIFACTS, browserProgram, REPOSITORY } from "./harness/paths";
import { sideBySide } from "./harness/picture";
import { SidePanel } from "./harness/side-panel";
import { browserArgs, CONSOLE_PAGE, type Site, startConsole } from "./harness/site";

const QUESTIONS = ["What does lb1 do?", "What can I change on this page?", "Is anything wrong here?"] as const;
const SAMPLE_PAGE = join(REPOSITORY, "e2e", "sample-console", "page.html");

/** Not a warning bar over the page that a person is to look at. */
const WINDOW_ARGS = ["--test-type", "--window-size=1360,860"] as const;

const life = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => life.abort());

const hasDisplay =
  process.platform === "darwin" || [process.env["DISPLAY"], process.env["WAYLAND_DISPLAY"]].some((name) => name);
const inWindow = hasDisplay && process.env["HEADLESS"] !== "1";

const home = await Home.create();
try {
  if (findBrowser()) await inBrowser(home);
  else await inTerminal(home);
} catch (error) {
  say(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await home.close();
}

function findBrowser(): boolean {
  try {
    browserProgram();
    return true;
  } catch {
    // What to install was printed by the search itself.
    return false;
  }
}

async function inBrowser(home: Home): Promise<void> {
  const site = await startConsole();
  const browser = await launch(home, site);
  if (browser === null) {
    await site.close();
    return inTerminal(home);
  }
  try {
    const page = await browser.open(CONSOLE_PAGE);
    await connect(home, browser);
    if (inWindow) await letChat(browser, page);
    else await converse(browser, page);
  } finally {
    await browser.close();
    await site.close();
  }
}

/** Starts the browser; null when it does not load the extension. */
async function launch(home: Home, site: Site): Promise<Browser | null> {
  const args = inWindow ? [...browserArgs([site]), ...WINDOW_ARGS] : browserArgs([site]);
  return Browser.launch(home, { headless: !inWindow, ownSize: inWindow, args }).catch((error: unknown) => {
    if (!(error instanceof NoExtensionError)) throw error;
    say("This browser does not load extensions by itself; Chromium does.");
    return null;
  });
}

/** Makes sure that the extension reaches the worker; where the browser may start no helper, by pairing. */
async function connect(home: Home, browser: Browser): Promise<void> {
  const panel = await browser.openPanel();
  const connected = panel.connected().then(() => true);
  if (!(await Promise.race([connected, panel.linkCard.waitFor().then(() => false)]))) {
    say("This browser may not start Sidewire's helper, so it is paired instead.");
    await home.serve();
    await panel.pair(await home.sidewire("pair"));
    await panel.connected();
  }
  await panel.page.close();
}

/** A person's turn: until the window is closed or Ctrl-C is pressed. */
async function letChat(browser: Browser, page: Page): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    browser.context.once("close", () => resolve());
    life.signal.addEventListener("abort", () => resolve());
  });
  await SidePanel.open(browser, page).catch(() => say("Click the Sidewire icon in the toolbar to open its panel."));
  say("Sidewire is open beside a sample console page. Ask it something, for example:");
  for (const question of QUESTIONS) say(`  ${question}`);
  say("No model is set up: answers come from the page alone. Close the window or press Ctrl-C to end.");
  await closed;
}

async function converse(browser: Browser, page: Page): Promise<void> {
  say("A conversation in the panel, headless; no model is set up, so answers come from the page alone.");
  const panel = await browser.openPanel();
  await panel.sees("lb1");
  for (const question of QUESTIONS) await askInPanel(panel, question);
  const picture = join(ARTIFACTS, "demo.png");
  await sideBySide(page, panel.page, picture);
  say(`\nPicture: ${relative(process.cwd(), picture)}`);
}

async function askInPanel(panel: Panel, question: string): Promise<void> {
  const turn = await panel.ask(question);
  await turn.done();
  // biome-ignore lint/performance/useDomNodeTextContent: in the lines in which it is shown
  exchange(question, await turn.answer.innerText());
}

async function inTerminal(home: Home): Promise<void> {
  say("The same conversation, in the terminal:");
  for (const question of QUESTIONS) exchange(question, await home.sidewire("ask", "--page", SAMPLE_PAGE, question));
}

function exchange(question: string, answer: string): void {
  say(`\n> ${question}\n`);
  say(answer.trim().replaceAll(/^/gm, "  "));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
