/** Runs a TypeScript program of this folder: `node e2e/run.mjs e2e/demo.ts`. */
import { resolve } from "node:path";
import { runnerImport } from "vite";

const [program] = process.argv.slice(2);
if (program === undefined) throw new Error("usage: node e2e/run.mjs PROGRAM.ts");
await runnerImport(resolve(program), { configFile: false, logLevel: "warn" });
