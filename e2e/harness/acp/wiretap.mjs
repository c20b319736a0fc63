/**
 * Runs an agent and writes down every line between it and its editor: `node wiretap.mjs LOG PROGRAM ARGS…`.
 *
 * The log has one JSON array a line: who spoke (`client` or `agent`) and the line as it was.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [log, program, ...args] = process.argv.slice(2);
if (log === undefined || program === undefined) throw new Error("usage: node wiretap.mjs LOG PROGRAM ARGS...");
const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });

/** Passes a stream on, and each whole line of it to the log first. */
function tap(who, from, to) {
  let rest = Buffer.alloc(0);
  from.on("data", (piece) => {
    rest = Buffer.concat([rest, piece]);
    const end = rest.lastIndexOf(10) + 1;
    const lines = rest.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    for (const line of lines) appendFileSync(log, `${JSON.stringify([who, line])}\n`);
    rest = rest.subarray(end);
    to.write(piece);
  });
  from.on("end", () => {
    if (rest.length > 0) appendFileSync(log, `${JSON.stringify([who, rest.toString("utf8")])}\n`);
    to.end();
  });
}

tap("client", process.stdin, agent.stdin);
tap("agent", agent.stdout, process.stdout);
// Whoever leaves first takes the other along.
agent.stdin.on("error", () => {});
process.stdout.on("error", () => agent.kill());
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => agent.kill(signal));
agent.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === null ? 0 : 1);
  process.stdin.destroy();
});
