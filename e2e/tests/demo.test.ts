/** `make demo`, without the builds: it ends well with a browser and without one. */
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { ARTIFACTS, REPOSITORY } from "../harness/paths";
import { test } from "../harness/stage";

const run = promisify(execFile);

async function demo(env: Record<string, string>): Promise<{ stdout: string; stderr: string }> {
  const program = [join("e2e", "run.mjs"), join("e2e", "demo.ts")];
  return run(process.execPath, program, { cwd: REPOSITORY, env: { ...process.env, HEADLESS: "1", ...env } });
}

const ANSWERS = [
  "> What does lb1 do?",
  "lb1.example.com",
  "> What can I change on this page?",
  "Idle timeout",
] as const;

test("the demo converses in the panel and leaves a picture", async () => {
  const { stdout } = await demo({});
  for (const text of ANSWERS) expect(stdout).toContain(text);
  expect(stdout).toContain(join("e2e", "artifacts", "demo.png"));
  expect((await stat(join(ARTIFACTS, "demo.png"))).size).toBeGreaterThan(20_000);
});

test("without a browser the demo says what to do and converses in the terminal", async () => {
  const { stdout, stderr } = await demo({ SIDEWIRE_BROWSER: "/nowhere/chromium" });
  expect(stderr).toContain("SIDEWIRE_BROWSER names no program");
  for (const text of ANSWERS) expect(stdout).toContain(text);
});

test("where the browser ignores the switch, the extension is loaded by the protocol", async ({ set }) => {
  const stage = await set({ withoutSwitch: true });
  const { panel } = await stage.begin();
  const turn = await panel.ask("What is the port?");
  (await stage.model.call()).say("It is 443.");
  await turn.answers("It is 443.");
});
