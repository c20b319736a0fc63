/** Parts that die or are closed in the middle of an answer: nothing is lost, nothing is shown twice. */
import { expect } from "vitest";
import { test } from "../harness/stage";

const PIECES = Array.from({ length: 12 }, (_, number) => `piece ${number} of the answer, `);
const WHOLE = PIECES.join("").trim();

test("the service worker dies twice in the middle of an answer", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("Tell me everything.");
  const call = await stage.model.call();
  for (const [number, piece] of PIECES.entries()) {
    call.write(piece);
    if (number === 3 || number === 8) {
      await turn.shows(`piece ${number}`);
      await panel.stopServiceWorker();
    }
  }
  call.finish();
  await turn.done();
  await turn.answers(WHOLE);
  expect(await panel.turns.count()).toBe(1);
  expect(stage.model.calls).toHaveLength(1);
});

test("the panel is closed and opened again in the middle of an answer", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("Tell me everything.");
  const call = await stage.model.call();
  for (const piece of PIECES.slice(0, 4)) call.write(piece);
  await turn.shows("piece 3");
  await panel.page.close();
  for (const piece of PIECES.slice(4, 8)) call.write(piece);

  const later = (await (await stage.browser()).openPanel()).turn(0);
  await later.shows("piece 7");
  for (const piece of PIECES.slice(8)) call.write(piece);
  call.finish();
  await later.done();
  await later.answers(WHOLE);
  expect(stage.model.calls).toHaveLength(1);
});

test("the worker is killed before the model said a word: the question is asked again by itself, once", async ({
  set,
}) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("What is the port?");
  const first = await stage.model.call();
  const killed = await stage.home.kill();
  await first.abandoned;

  const second = await stage.model.call();
  expect(second.question).toContain("What is the port?");
  second.say("It is 443.");
  await turn.answers("It is 443.");
  await turn.done();
  expect(await panel.turns.count()).toBe(1);
  expect((await stage.home.running()).pid).not.toBe(killed?.pid);
  expect(stage.model.calls).toHaveLength(2);
});

test("the worker is killed in the middle of an answer", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("Tell me everything.");
  const call = await stage.model.call();
  call.write("First of all");
  await turn.answers("First of all");
  stage.model.answers((again) => again.say("First of all, and then the rest."));
  await stage.home.kill();
  await call.abandoned;

  await turn.answers("First of all, and then the rest.");
  await turn.done();
  expect(await panel.turns.count()).toBe(1);
});
