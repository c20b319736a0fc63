/** The agent driven by `acpx`, which speaks an older release of the protocol's SDK and was not written for us. */
import { expect } from "vitest";
import { acpx, startAcpx } from "../harness/acp/acpx";
import { test } from "../harness/acp/stage";

test("acpx gets an answer", async ({ stage }) => {
  stage.model.answers((call) => call.say("Forty-two."));
  const { code, out } = await acpx(stage, "--format", "quiet", "exec", "What is the answer?");
  expect(out.trim()).toBe("Forty-two.");
  expect(code).toBe(0);
});

test("acpx has a file edited and a command run, with permission", async ({ stage }) => {
  const path = await stage.write("a.txt", "one\n");
  const steps = [
    { name: "edit_file", arguments: { path, old_string: "one", new_string: "two" } },
    { name: "bash", arguments: { command: "cat a.txt && printf done > made.txt" } },
  ];
  stage.model.answers((call) => {
    const step = steps[call.messages.filter(({ role }) => role === "tool").length];
    if (step === undefined) call.say("Both are done.");
    else call.use(step);
  });
  const { code, out } = await acpx(stage, "--approve-all", "exec", "Edit and run.");
  expect(out).toContain("Both are done.");
  expect(out).toContain("end_turn");
  expect(code).toBe(0);
  expect(await stage.read("a.txt")).toBe("two\n");
  expect(await stage.read("made.txt")).toBe("done");
  expect(stage.model.calls.at(-1)?.results.join()).toContain("two");
});

test("acpx refuses, and nothing is written", async ({ stage }) => {
  const path = await stage.write("a.txt", "one\n");
  const edit = { name: "write_file", arguments: { path, content: "two\n" } };
  stage.model.answers((call) =>
    call.messages.some(({ role }) => role === "tool") ? call.say("As you wish.") : call.use(edit),
  );
  const { out } = await acpx(stage, "--deny-all", "exec", "Write.");
  expect(out).toContain("As you wish.");
  expect(await stage.read("a.txt")).toBe("one\n");
});

test("acpx keeps a session, prompts in it again, sets its mode and an option, and closes it", async ({ stage }) => {
  stage.model.answers((call) => call.say(`Answer ${call.texts("user").length}.`));
  expect((await acpx(stage, "sessions", "new")).code).toBe(0);
  expect((await acpx(stage, "--format", "quiet", "prompt", "First.")).out.trim()).toBe("Answer 1.");
  expect((await acpx(stage, "--format", "quiet", "prompt", "Second.")).out.trim()).toBe("Answer 2.");
  expect((await acpx(stage, "set-mode", "plan")).code).toBe(0);
  expect((await acpx(stage, "set", "tool_approval", "yolo")).code).toBe(0);
  expect((await acpx(stage, "sessions", "close")).code).toBe(0);
});

test("acpx cancels a prompt that hangs", async ({ stage }) => {
  const prompt = startAcpx(stage, "exec", "Hang.");
  const call = await stage.model.call();
  prompt.interrupt();
  await call.abandoned;
  const { out } = await prompt.ended;
  expect(out).toContain("cancelled");
});
