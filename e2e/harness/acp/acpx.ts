/** `acpx`, a client for the command line that others wrote, as it comes from npm. */
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { REPOSITORY } from "../paths";
import type { AcpStage } from "./stage";

const run = promisify(execFile);
const PROGRAM = join(REPOSITORY, "node_modules", "acpx", "dist", "cli.js");

/** How it ended and what it printed. */
export interface Acpx {
  code: number;
  out: string;
}

/** The command line that has it drive our agent. */
function commandLine(stage: AcpStage, args: readonly string[]): string[] {
  return [PROGRAM, "--cwd", stage.project, "--agent", stage.commandLine, "--ttl", "5", ...args];
}

/** Runs it to its end. */
export async function acpx(stage: AcpStage, ...args: string[]): Promise<Acpx> {
  const env = { ...stage.home.env, HOME: stage.home.folder, NO_COLOR: "1" };
  try {
    const { stdout } = await run(process.execPath, commandLine(stage, args), { env, cwd: stage.project });
    return { code: 0, out: stdout };
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || !("stdout" in error)) throw error;
    return { code: Number(error.code), out: `${String(error.stdout)}${error.message}` };
  }
}

/** Starts it; gives the way to have it stop as with Ctrl+C, and its end. */
export function startAcpx(stage: AcpStage, ...args: string[]): { interrupt(): void; ended: Promise<Acpx> } {
  const env = { ...stage.home.env, HOME: stage.home.folder, NO_COLOR: "1" };
  const child = spawn(process.execPath, commandLine(stage, args), { env, cwd: stage.project });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
  }
  const ended = new Promise<Acpx>((resolve) => {
    child.on("close", (code) => resolve({ code: code ?? -1, out }));
  });
  return { interrupt: () => child.kill("SIGINT"), ended };
}
