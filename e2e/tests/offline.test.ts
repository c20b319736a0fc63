/** No model at all: the built-in provider answers from the page. */
import { expect } from "vitest";
import { test } from "../harness/stage";

test("without a model a suggestion is answered from the page, and the panel says that it is offline", async ({
  set,
}) => {
  const stage = await set({ offline: true });
  const { panel } = await stage.begin();
  await panel.shows("What does lb1 do?");
  const suggestions = panel.page.getByRole("region", { name: "Suggestions" }).getByRole("button");
  expect(await suggestions.allInnerTexts()).toEqual([
    "What does lb1 do?",
    "What can I change here?",
    "Summarise this page",
  ]);
  expect(await panel.model.textContent()).toBe("Offline");

  await suggestions.first().click();
  const turn = panel.turn(0);
  await turn.done();
  await turn.shows("Domains: lb1.example.com, www.example.com");
  await turn.shows("no model is set up");
});

test("a field that only the API response tells is found without a model", async ({ set }) => {
  const stage = await set({ offline: true });
  const { panel } = await stage.begin();
  const turn = await panel.ask("What is the request timeout?");
  await turn.done();
  await turn.shows("60 s");
});
