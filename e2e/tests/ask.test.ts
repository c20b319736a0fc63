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
  await turn.answers("It serves lb1.example.com and www.example.com.");

  expect(call.question).toContain("Which domains does this load balancer serve?");
  expect(call.question).toContain("Round robin");
  expect(call.question).toContain(CONSOLE_PAGE);
});
