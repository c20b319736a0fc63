/** The main states of the running product: a picture of each in both themes, and nothing that axe-core objects to. */
import { join } from "node:path";
import { expect } from "vitest";
import { EXTENSION_URL } from "../harness/browser";
import { look } from "../harness/looks";
import { ARTIFACTS } from "../harness/paths";
import { sideBySide } from "../harness/picture";
import { CONSOLE_PAGE } from "../harness/site";
import { test } from "../harness/stage";

const SHARP = { deviceScaleFactor: 2 } as const;

const ANSWER_BEGINS = `**lb1** is the public entry of the web shop: an HTTPS load balancer that sends each request to a pool of origins by its path.

| Match | Pool | Timeout |
| --- | --- | --- |
| \`/api/*\` | api-pool | 15 s |
| \`/checkout\` | checkout-pool | 45 s |
| \`/static/*\` | cdn-pool | 5 s |
`;

const ANSWER_ENDS = `
Two things deserve a look:

1. The certificate of **www.example.com** expires in 12 days.
2. One of three origins of \`checkout-pool\` is not healthy.

To raise the timeout of the API route:

\`\`\`json
{ "match": "/api/*", "pool": "api-pool", "timeout": "30 s" }
\`\`\`

See [health checks](https://docs.example.com/health-checks) for how an origin is judged.`;

test("first run: the helper is missing", async ({ set }) => {
  const stage = await set({ ...SHARP, withoutHost: true });
  const browser = await stage.browser();
  await browser.open(CONSOLE_PAGE);
  const panel = await browser.openPanel();
  await panel.linkCard.waitFor();
  expect(await look(panel.page, "first-run")).toEqual([]);
});

test("no model: offline, with the offer to set one up", async ({ set }) => {
  const stage = await set({ ...SHARP, offline: true });
  const { panel } = await stage.begin();
  await panel.shows("Connect a model");
  expect(await look(panel.page, "offline")).toEqual([]);
  const turn = await panel.ask("Is anything wrong here?");
  await turn.done();
  expect(await look(panel.page, "offline-answer")).toEqual([]);
});

test("empty, thinking, streaming, answer, history, preview and error", async ({ set }) => {
  const stage = await set(SHARP);
  const { page, panel } = await stage.begin();
  await panel.shows("What does lb1 do?");
  expect(await look(panel.page, "empty")).toEqual([]);

  const turn = await panel.ask("What does lb1 do, and is it healthy?");
  const call = await stage.model.call();
  await turn.shows("Thinking");
  expect(await look(panel.page, "thinking")).toEqual([]);
  call.write(ANSWER_BEGINS);
  await turn.shows("cdn-pool");
  expect(await look(panel.page, "streaming")).toEqual([]);
  call.write(ANSWER_ENDS);
  call.finish();
  await turn.done();
  expect(await look(panel.page, "answer")).toEqual([]);
  await sideBySide(page, panel.page, join(ARTIFACTS, "panel", "beside-the-console.png"));
  await panel.page.setViewportSize({ width: 380, height: 720 });

  await panel.press("Show what will be sent");
  await panel.shows("Exactly this goes with your next question");
  expect(await look(panel.page, "preview")).toEqual([]);
  await panel.press("Close");

  await panel.beginAnew();
  stage.model.answers((refused) => refused.refuse(500));
  const failed = await panel.ask("Which origin is down?");
  await failed.error.waitFor();
  expect(await look(panel.page, "error")).toEqual([]);

  const history = await panel.history();
  await history.getByText("Today").waitFor();
  expect(await look(panel.page, "history")).toEqual([]);
});

test("the options page", async ({ set }) => {
  const stage = await set(SHARP);
  const browser = await stage.browser();
  const page = await browser.open(`${EXTENSION_URL}/options.html`);
  await page.setViewportSize({ width: 720, height: 900 });
  await page.getByText("Connected through the helper.").waitFor();
  expect(await look(page, "options")).toEqual([]);
});
