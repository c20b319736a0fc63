/** Several pages at once: each panel is about its own page, and answers do not mix. */
import { expect } from "vitest";
import { CONSOLE_HOST } from "../harness/site";
import { test } from "../harness/stage";

test("two tabs hold two conversations at once", async ({ set }) => {
  const stage = await set();
  const { panel: left } = await stage.begin();
  await left.sees("lb1");
  const browser = await stage.browser();
  await browser.open(`https://${CONSOLE_HOST}/web/namespaces/default/http_loadbalancers/lb2`);
  const right = await browser.openPanel();
  await right.sees("lb2");

  const leftTurn = await left.ask("Left question?");
  const leftCall = await stage.model.call();
  const rightTurn = await right.ask("Right question?");
  const rightCall = await stage.model.call();
  for (const number of [1, 2, 3]) {
    leftCall.write(`left ${number} `);
    rightCall.write(`right ${number} `);
  }
  rightCall.finish();
  await rightTurn.done();
  leftCall.finish();
  await leftTurn.done();
  await leftTurn.answers("left 1 left 2 left 3");
  await rightTurn.answers("right 1 right 2 right 3");

  expect(leftCall.question).toContain("http_loadbalancers/lb1");
  expect(leftCall.raw).not.toContain("Right question?");
  expect(rightCall.question).toContain("http_loadbalancers/lb2");
  expect(rightCall.raw).not.toContain("Left question?");
});
