/** A page of the site with the real side panel beside it. */
import type { Page } from "playwright-core";
import type { Browser } from "../harness/browser";
import { SidePanel } from "../harness/side-panel";
import type { Stage } from "../harness/stage";
import { pageUrl } from "./site";

/** What a test of acting works with. */
export interface Beside {
  stage: Stage;
  browser: Browser;
  page: Page;
  panel: SidePanel;
}

/** Opens a page and the panel, and chooses a mode. */
export async function beside(stage: Stage, mode: string, name = "load-balancer"): Promise<Beside> {
  const browser = await stage.browser();
  const page = await browser.open(pageUrl(name));
  const panel = await SidePanel.open(browser, page);
  await panel.shows(await page.title());
  if (mode !== "Explain") await panel.choose(mode);
  return { stage, browser, page, panel };
}

/** Whether the button Edit of the load balancer's page has been pressed. */
export async function isFormOpen(page: Page): Promise<boolean> {
  return page.locator("#form").isVisible();
}
