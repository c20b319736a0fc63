/** Pictures of the assistant at work, in both themes: notes on the page, the question to the person, what it did. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { ARTIFACTS } from "../harness/paths";
import { SidePanel } from "../harness/side-panel";
import { CONSOLE_PAGE } from "../harness/site";
import { test } from "../harness/stage";

const FOLDER = join(ARTIFACTS, "panel");
const THEMES = ["light", "dark"] as const;

test("notes on the page, a question to the person, tool rows and a picture", async ({ set }) => {
  const stage = await set({ deviceScaleFactor: 2 });
  await mkdir(FOLDER, { recursive: true });
  const browser = await stage.browser();
  const page = await browser.open(CONSOLE_PAGE);
  await page.setViewportSize({ width: 880, height: 720 });
  const panel = await SidePanel.open(browser, page);
  await panel.shows("lb1");

  await panel.choose("Annotate");
  await panel.ask("Point out what needs attention here.");
  (await stage.model.call()).use(
    { name: "annotate", arguments: { role: "alert", text: "Renew this certificate first.", seconds: 120 } },
    { name: "highlight", arguments: { role: "heading", name: "lb1", seconds: 60 } },
  );
  const pointed = await stage.model.call();
  expect(pointed.results.join("\n")).not.toContain("nothing was drawn");
  await photograph(page, "annotated");
  pointed.say("The certificate of **www.example.com** expires in 12 days; I marked the alert.");
  await panel.shows("I marked the alert.");
  await pictures(panel, "annotate");

  await panel.beginAnew();
  await panel.choose("Configure");
  await panel.ask("Edit the description, please.");
  (await stage.model.call()).use({ name: "page_snapshot", arguments: {} });
  (await stage.model.call()).use({ name: "page_click", arguments: { role: "button", name: "Edit" } });
  await panel.shows("Always on this site");
  await photograph(page, "asked-on-the-page");
  await pictures(panel, "consent");
  await panel.press("Once");
  (await stage.model.call()).use({ name: "page_screenshot", arguments: {} });
  (await stage.model.call()).say("The form is open; this is how it looks now.");
  await panel.waits("a picture", "document.querySelector('[data-media] img')?.complete === true");
  await panel.shows("The form is open");
  await pictures(panel, "picture");
});

async function photograph(page: Page, name: string): Promise<void> {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`) });
  }
  await page.emulateMedia({ colorScheme: "light" });
}

async function pictures(panel: SidePanel, name: string): Promise<void> {
  for (const theme of THEMES) {
    await panel.theme(theme);
    await panel.screenshot(join(FOLDER, `${name}-${theme}.png`));
  }
  await panel.theme("light");
}
