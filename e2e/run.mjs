/** Runs a TypeScript program of this folder: `node e2e/run.mjs e2e/demo.ts`. */
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const [program, ...rest] = process.argv.slice(2);
if (program === undefined) throw new Error("usage: node e2e/run.mjs PROGRAM.ts [ARGUMENT…]");

// Beside the program, so that its packages are found.
const folder = await mkdtemp(join(dirname(resolve(program)), ".run-"));
try {
  const outfile = join(folder, "program.mjs");
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
  });
  process.argv = [process.argv[0] ?? "node", program, ...rest];
  await import(pathToFileURL(outfile).href);
} finally {
  await rm(folder, { recursive: true, force: true });
}
