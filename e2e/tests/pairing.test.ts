/** The second way to the worker: the loopback WebSocket, where a browser may start no helper. */
import { expect } from "vitest";
import { CONSOLE_PAGE } from "../harness/site";
import { test } from "../harness/stage";

test("where the host is missing, a pairing line connects the panel, also after the browser was closed", async ({
  set,
}) => {
  const stage = await set({ withoutHost: true });
  const browser = await stage.browser();
  await browser.open(CONSOLE_PAGE);
  const panel = await browser.openPanel();
  await panel.shows("Sidewire is not set up for this browser yet.");
  await panel.shows("sidewire install");

  await stage.home.serve("--port", "0");
  await panel.pair(await stage.home.sidewire("pair"));
  await panel.connected();
  const turn = await panel.ask("What is the port?");
  (await stage.model.call()).say("It is 443.");
  await turn.answers("It is 443.");

  await stage.closeBrowser();
  const later = (await stage.begin()).panel;
  const again = await later.ask("What is the port?");
  (await stage.model.call()).say("Still 443.");
  await again.answers("Still 443.");
  expect(await stage.home.sidewire("pair", "--list")).toContain("sidewire-extension");
});

test("a pairing line that is wrong or used is refused in words", async ({ set }) => {
  const stage = await set({ withoutHost: true });
  const browser = await stage.browser();
  await browser.open(CONSOLE_PAGE);
  const panel = await browser.openPanel();
  await panel.linkCard.waitFor();
  const { port } = await stage.home.serve("--port", "0");
  await panel.pair(`sidewire:${port}:pair-abcdefgh:${"0".repeat(64)}`);
  await panel.shows("That pairing line was not accepted.");
});
