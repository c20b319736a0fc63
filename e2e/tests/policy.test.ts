/**
 * The policy that an organisation sets for the whole machine (N26). Only root may write it, and it is put back.
 *
 * It blocks one address that no other test uses, since browsers of other tests read it too.
 */
import { mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import identity from "../../contract/identity.json";
import { SidePanel } from "../harness/side-panel";
import { test } from "../harness/stage";
import { until } from "../harness/until";
import { pageUrl, servePages } from "../page-tools/site";

const FOLDERS = ["/etc/chromium/policies", "/etc/chromium/policies/managed"];
const FILE = join("/etc/chromium/policies/managed", "sidewire-e2e.json");
const MARK = "blocked-by-the-policy-test";
const isRoot = process.getuid?.() === 0;

beforeAll(async () => {
  if (!isRoot) return;
  for (const folder of FOLDERS) await mkdir(folder, { recursive: true });
  const policy = { blockedUrlPatterns: [`*://*.console.ves.volterra.io/*${MARK}*`] };
  await writeFile(FILE, JSON.stringify({ "3rdparty": { extensions: { [identity.extensionId]: policy } } }));
});

afterAll(async () => {
  if (!isRoot) return;
  await rm(FILE, { force: true });
  for (const folder of FOLDERS.toReversed()) if ((await readdir(folder)).length === 0) await rmdir(folder);
});

test.skipIf(!isRoot)("N26: what policy blocks is neither gone to nor sent along", async ({ set }) => {
  const stage = await set({ sites: [await servePages()] });
  const browser = await stage.browser();
  const page = await browser.open(pageUrl("plain"));
  const [worker] = browser.context.serviceWorkers();
  await until("the policy", () =>
    worker?.evaluate(async () => (await chrome.storage.managed.get(null))["blockedUrlPatterns"]),
  );
  const panel = await SidePanel.open(browser, page);
  await panel.shows("Plain");
  await panel.choose("Configure");

  await panel.ask("Go there.");
  (await stage.model.call()).use({ name: "page_navigate", arguments: { url: `plain.html?%62${MARK.slice(1)}` } });
  const told = await stage.model.call();
  expect(told.results.join("\n")).toContain("blocked-by-policy");
  told.say("I may not.");
  await panel.shows("I may not.");
  expect(page.url()).toBe(pageUrl("plain"));

  await page.goto(`${pageUrl("plain")}?${MARK}`);
  await panel.ask("What is this?");
  const call = await stage.model.call();
  expect(JSON.stringify(call.messages.at(-1))).not.toContain("Passphrase");
  call.use({ name: "page_text", arguments: {} });
  const refused = await stage.model.call();
  expect(refused.results.join("\n")).toContain("blocked-by-policy");
  refused.say("I cannot see it.");
  await panel.shows("I cannot see it.");
});
