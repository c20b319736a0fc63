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

test("the worker is killed in the middle of an answer: what was shown stays, and the question can be asked again", async ({
  set,
}) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("Tell me everything.");
  const call = await stage.model.call();
  call.write("First of all");
  await turn.answers("First of all");
  const killed = await stage.home.kill();
  await call.abandoned;

  await turn.error.waitFor();
  await turn.answers("First of all");
  expect((await stage.home.running()).pid).not.toBe(killed?.pid);
  await turn.error.getByRole("button", { name: "Try again" }).click();
  (await stage.model.call()).say("First of all, and then the rest.");
  await panel.turn(1).answers("First of all, and then the rest.");
  await panel.turn(1).done();
});

test("a worker that lost the question when it died is asked again by itself, once", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("What is the port?");
  await stage.model.call();
  await stage.home.kill({ withDatabase: true });

  const again = await stage.model.call();
  expect(again.question).toContain("What is the port?");
  again.say("It is 443.");
  await turn.answers("It is 443.");
  await turn.done();
  expect(await panel.turns.count()).toBe(1);
  expect(stage.model.calls).toHaveLength(2);
});

test("a question asked while the worker is dead is answered by the next one", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  await stage.home.kill();
  const turn = await panel.ask("What is the port?");
  (await stage.model.call()).say("It is 443.");
  await turn.answers("It is 443.");
  expect(stage.model.calls).toHaveLength(1);
});
