/** The client that `docs/editor.md` shows, run as it stands there. */
import { execFile } from "node:child_process";
import { readFile, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { test } from "../harness/acp/stage";
import { REPOSITORY } from "../harness/paths";

const run = promisify(execFile);

/** The one program in JavaScript that the document holds. */
async function shownProgram(): Promise<string> {
  const document = await readFile(join(REPOSITORY, "docs", "editor.md"), "utf8");
  const [program, ...others] = [...document.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text);
  expect(others).toEqual([]);
  if (program === undefined) throw new Error("the document shows no program");
  return program;
}

test("the client that the document shows runs and prints what it says", async ({ stage }) => {
  const program = await stage.write("client.mjs", await shownProgram());
  await symlink(join(REPOSITORY, "node_modules"), join(stage.project, "node_modules"));
  const search = [await stage.onPath(), process.env["PATH"]].join(delimiter);
  const env = { ...stage.home.env, PATH: search };
  const { stdout } = await run(process.execPath, [program], { env, cwd: stage.project, timeout: 60_000 });
  expect(stdout).toContain(stage.project);
  expect(stdout.trimEnd().endsWith("(end_turn)")).toBe(true);
});
