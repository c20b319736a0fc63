/** The main job: a question about the page in front, over native messaging. */
import { expect } from "vitest";
import { CONSOLE_PAGE } from "../harness/site";
import { test } from "../harness/stage";

test("a question about the page is answered in pieces as the model gives them", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  await panel.sees("lb1");

  const turn = await panel.ask("Which domains does this load balancer serve?");
  const call = await stage.model.call();
  call.write("It serves lb1.example.com");
  await turn.answers("It serves lb1.example.com");
  call.write(" and www.example.com.");
  await turn.answers("It serves lb1.example.com and www.example.com.");
  call.finish();
  await turn.done();

  expect(call.question).toContain("Which domains does this load balancer serve?");
  expect(call.question).toContain(CONSOLE_PAGE);
});

test("the model gets what the page shows and what it fetched, fenced and outside the system prompt", async ({
  set,
}) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("What is this?");
  const call = await stage.model.call();
  call.say("A load balancer.");
  await turn.done();

  const shown = "Internet (anycast)";
  const fetchedOnly = "max_request_body_bytes";
  const fence = fenceOf(call.question);
  for (const fact of [shown, fetchedOnly]) expect(fence).toContain(fact);
  expect(call.texts("system").join("\n")).not.toContain(shown);

  const again = await panel.ask("And now?");
  const next = await stage.model.call();
  next.say("Still one.");
  await again.done();
  expect(fenceOf(next.question).slice(0, 40)).not.toBe(fence.slice(0, 40));
});

test("a second question remembers the first", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const first = await panel.ask("What is the port?");
  (await stage.model.call()).say("It is 443.");
  await first.done();

  const second = await panel.ask("Is that usual?");
  const call = await stage.model.call();
  call.say("Yes.");
  await second.answers("Yes.");
  expect(call.texts("user").slice(0, -1).join("\n")).toContain("What is the port?");
  expect(call.texts("assistant")).toContain("It is 443.");
});

test("a new conversation knows nothing of the one before it, and both are in the history", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const first = await panel.ask("What is the port?");
  (await stage.model.call()).say("It is 443.");
  await first.done();

  await panel.beginAnew();
  const second = await panel.ask("And the algorithm?");
  const call = await stage.model.call();
  call.say("Round robin.");
  await second.answers("Round robin.");
  expect(call.texts("assistant")).toEqual([]);
  expect(call.raw).not.toContain("What is the port?");
  const rows = (await panel.history()).locator(".history-title");
  await rows.nth(1).waitFor();
  expect(await rows.allTextContents()).toEqual(["And the algorithm?", "What is the port?"]);
});

test("the conversation is there again after the panel, the browser and the worker were closed", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("What is the port?");
  (await stage.model.call()).say("It is 443.");
  await turn.done();

  await panel.reopen();
  await panel.turn(0).answers("It is 443.");

  await stage.closeBrowser();
  await stage.home.kill();
  const later = (await stage.begin()).panel;
  expect(await later.turns.count()).toBe(0);
  const history = await later.history();
  await history.getByRole("button", { name: "What is the port?" }).first().click();
  await later.turn(0).answers("It is 443.");

  const more = await later.ask("Is that usual?");
  const call = await stage.model.call();
  call.say("Yes.");
  await more.answers("Yes.");
  expect(call.texts("assistant")).toContain("It is 443.");
});

/** The part of a question that is marked as data of the page. */
function fenceOf(question: string): string {
  const marker = /[\w-]*[0-9a-f]{12,}[\w-]*/.exec(question)?.[0] ?? "no fence";
  const parts = question.split(marker);
  expect(parts.length, "a fence has a beginning and an end").toBeGreaterThanOrEqual(3);
  return marker + parts.slice(1, -1).join(marker);
}
