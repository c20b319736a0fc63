/** What a person sees and can do when the model does not answer, and when they do not want the answer. */
import { describe, expect } from "vitest";
import { test } from "../harness/stage";

test("stop keeps what was written, says so, and ends the request to the model", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("Tell me everything.");
  const call = await stage.model.call();
  call.write("First of all");
  await turn.answers("First of all");

  await panel.press("Stop");
  await turn.shows("Stopped.");
  await call.abandoned;
  await turn.answers("First of all");

  await panel.reopen();
  await panel.turn(0).shows("Stopped.");
  await panel.turn(0).answers("First of all");
});

describe("a provider that refuses", () => {
  const cases = [
    { status: 401, text: "The model's server did not accept the key.", action: "Set up a model" },
    { status: 400, text: "The model's server refused this request.", action: "Edit and ask again" },
    { status: 500, text: "The model's server failed to answer.", action: "Try again" },
  ] as const;
  for (const { status, text, action } of cases) {
    test(`HTTP ${status} has its own text and offers “${action}”`, async ({ set }) => {
      const stage = await set();
      const { panel } = await stage.begin();
      stage.model.answers((call) => call.refuse(status));
      const turn = await panel.ask("What is the port?");
      await turn.error.getByText(text).waitFor();
      await turn.error.getByRole("button", { name: action }).waitFor();
      expect(await turn.root.textContent()).not.toContain("canary-provider-text");
    });
  }
});

test("try again after a server error asks the same question once more and gets its answer", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  stage.model.answers((call) => call.refuse(500));
  const failed = await panel.ask("What is the port?");
  await failed.error.waitFor();

  stage.model.answers((call) => call.say("It is 443."));
  await failed.error.getByRole("button", { name: "Try again" }).click();
  const turn = panel.turn(-1);
  await turn.answers("It is 443.");
  expect(stage.model.calls.at(-1)?.question).toContain("What is the port?");
});

test("a server error in the middle keeps the text that came before it", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("Tell me everything.");
  const call = await stage.model.call();
  call.write("First of all");
  await turn.answers("First of all");
  call.cut();
  await turn.error.getByText("The model's server failed to answer.").waitFor();
  await turn.error.getByText("What arrived before is kept above.").waitFor();
  await turn.answers("First of all");
});

test("a model that hangs is shown as thinking, with the seconds, and can be stopped", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("What is the port?");
  const call = await stage.model.call();
  await turn.shows("Thinking");
  await turn.root.getByText(/^\d+ s$/).waitFor();
  await panel.press("Stop");
  await turn.shows("Stopped.");
  await call.abandoned;
});
