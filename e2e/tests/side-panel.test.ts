/** The panel as the browser itself shows it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { ARTIFACTS } from "../harness/paths";
import { SidePanel } from "../harness/side-panel";
import { CONSOLE_PAGE } from "../harness/site";
import { test } from "../harness/stage";

test("a click on the toolbar icon opens the real side panel, which answers about the page in front", async ({
  set,
}) => {
  const stage = await set();
  const browser = await stage.browser();
  const page = await browser.open(CONSOLE_PAGE);
  const panel = await SidePanel.open(browser, page);
  await panel.shows("What does lb1 do?");

  await panel.ask("Which domains?");
  const call = await stage.model.call();
  call.say("Two: **lb1.example.com** and *www.example.com*.");
  await panel.shows("Two: lb1.example.com and www.example.com.");

  expect(call.question).toContain("Round robin");
  await mkdir(ARTIFACTS, { recursive: true });
  const picture = await panel.screenshot(join(ARTIFACTS, "real-side-panel.png"));
  expect(picture.length).toBeGreaterThan(5_000);
});
