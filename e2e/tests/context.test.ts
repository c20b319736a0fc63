/** Which page goes along with a question: the one that was named, nothing else, and exactly what was shown before. */
import { expect } from "vitest";
import { SidePanel } from "../harness/side-panel";
import { CONSOLE_HOST, CONSOLE_PAGE, startConsole, startSite } from "../harness/site";
import { test } from "../harness/stage";

const OTHER_HOST = "other-corp.console.ves.volterra.io";
const OTHER_PAGE = `https://${OTHER_HOST}/web/namespaces/prod/http_loadbalancers/lb9`;

async function twoTenants() {
  const html = "<title>lb9 of the others</title><h1>lb9</h1><p>Fact of the other tenant</p>";
  const other = await startSite(OTHER_HOST, { [new URL(OTHER_PAGE).pathname]: { html } });
  return [other, await startConsole(CONSOLE_HOST)];
}

test("N1: after a change of tab nothing of the tab before is sent", async ({ set }) => {
  const stage = await set({ sites: await twoTenants() });
  const browser = await stage.browser();
  const first = await browser.open(CONSOLE_PAGE);
  const panel = await SidePanel.open(browser, first);
  await panel.shows("lb1 — Northwind Edge Console");
  await panel.press("Show what will be sent");
  await panel.shows("Exactly this goes with your next question");
  await panel.press("Close");

  await browser.open(OTHER_PAGE);
  await panel.shows("lb9 of the others");
  await panel.ask("What is this?");
  const call = await stage.model.call();
  call.say("Another load balancer.");
  await panel.shows("Another load balancer.");
  expect(call.raw).toContain("Fact of the other tenant");
  for (const trace of ["lb1", "Northwind", CONSOLE_HOST]) expect(call.raw).not.toContain(trace);
});

test("another tab in front is said, and a click takes it, in a conversation of its own for another tenant", async ({
  set,
}) => {
  const stage = await set({ sites: await twoTenants() });
  const browser = await stage.browser();
  const first = await browser.open(CONSOLE_PAGE);
  const panel = await SidePanel.open(browser, first);
  await panel.shows("What does lb1 do?");
  await panel.ask("What is this?");
  (await stage.model.call()).say("A load balancer.");
  await panel.shows("A load balancer.");

  const second = await browser.open(OTHER_PAGE);
  await panel.shows("Another tab is in front.");
  await panel.shows("lb1 — Northwind Edge Console");
  await panel.press("Use this tab instead");
  await panel.shows("What does lb9 of the others do?");
  await panel.ask("And this?");
  const call = await stage.model.call();
  call.say("The one of the others.");
  await panel.shows("The one of the others.");
  expect(call.raw).toContain("Fact of the other tenant");
  for (const trace of ["Northwind", "A load balancer.", "What is this?"]) expect(call.raw).not.toContain(trace);

  // Each tab keeps its conversation.
  await first.bringToFront();
  await panel.shows("A load balancer.");
  await second.bringToFront();
  await panel.shows("The one of the others.");
});

test("a page that the browser keeps to itself is explained, and the chat works without it", async ({ set }) => {
  const stage = await set();
  const browser = await stage.browser();
  const panel = await SidePanel.open(browser, await browser.open("chrome://version/"));
  await panel.shows("To let Sidewire read this page");
  await panel.ask("Can you hear me?");
  const call = await stage.model.call();
  call.say("Loud and clear.");
  await panel.shows("Loud and clear.");
  expect(call.question).toContain("Can you hear me?");
});

test("a site without permission is explained and not read", async ({ set }) => {
  const site = await startSite("plain.test", { "/": { html: "<title>Plain</title><p>Plain text</p>" } });
  const stage = await set({ sites: [site] });
  const { panel } = await stage.begin("https://plain.test/");
  await panel.chip.getByText("To let Sidewire read this page, press its button in the toolbar.").waitFor();
  const turn = await panel.ask("What is here?");
  const call = await stage.model.call();
  call.say("I cannot see it.");
  await turn.answers("I cannot see it.");
  expect(call.raw).not.toContain("Plain text");
});

test("a click on the toolbar icon lets one page be read once", async ({ set }) => {
  const site = await startSite("plain.test", { "/": { html: "<title>Plain</title><p>Plain text</p>" } });
  const stage = await set({ sites: [site] });
  const browser = await stage.browser();
  const panel = await SidePanel.open(browser, await browser.open("https://plain.test/"));
  await panel.shows("What does Plain do?");
  await panel.ask("What is here?");
  const call = await stage.model.call();
  call.say("Text.");
  await panel.shows("Text.");
  expect(call.question).toContain("Plain text");
});

test("with the page switched off nothing of it is sent", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  await panel.chip.getByRole("switch", { name: "Send this page with the question" }).click();
  await panel.shows("This page is not sent.");
  const turn = await panel.ask("Can you hear me?");
  const call = await stage.model.call();
  call.say("Yes.");
  await turn.answers("Yes.");
  for (const trace of ["Round robin", "lb1", "Northwind"]) expect(call.raw).not.toContain(trace);
});

test("the preview is, to the letter, what is sent, with its secrets marked", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  await panel.press("Show what will be sent");
  await panel.shows("Exactly this goes with your next question");
  await panel.shows("secret values were replaced.");
  await panel.page.getByRole("tab", { name: "JSON" }).click();
  const shown: unknown = JSON.parse((await panel.page.locator("pre.json").textContent()) ?? "");
  await panel.page.getByRole("tab", { name: "API data" }).click();
  await panel.page.locator("pre.json mark").first().waitFor();
  await panel.press("Close");
  await panel.shows("The previewed version will be sent.");

  const turn = await panel.ask("What is this?");
  const call = await stage.model.call();
  expect(await (await stage.browser()).sentContexts()).toEqual([shown]);
  call.say("A load balancer.");
  await turn.done();
});

test("what was previewed is not sent any more when the page has changed", async ({ set }) => {
  const stage = await set();
  const { page, panel } = await stage.begin();
  await panel.press("Show what will be sent");
  await panel.shows("Exactly this goes with your next question");
  await panel.press("Close");
  await page.goto(CONSOLE_PAGE.replace(/lb1$/, "lb2"));
  await panel.sees("lb2");

  const turn = await panel.ask("What is this?");
  const call = await stage.model.call();
  call.say("A load balancer.");
  await turn.done();
  expect(call.question).toContain("http_loadbalancers/lb2");
  expect(call.question).not.toContain("http_loadbalancers/lb1\n");
});

test("the page is read at the moment of sending, also after navigation inside it", async ({ set }) => {
  const stage = await set();
  const { page, panel } = await stage.begin();
  await page.bringToFront();
  await page.getByRole("link", { name: "lb2" }).click();
  await page.locator("html[data-shown=lb2]").waitFor();
  await page.evaluate(() => document.querySelector("h1")?.append(" changed a moment ago"));
  await panel.sees("lb2");
  const turn = await panel.ask("What is this?");
  const call = await stage.model.call();
  call.say("Another one.");
  await turn.done();
  expect(call.question).toContain("changed a moment ago");
  expect(call.question).toContain("namespaces/default/http_loadbalancers/lb2");
  expect(call.question).not.toContain("lb1.example.com");
});
