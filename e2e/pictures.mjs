/** Copies the pictures that the README and docs show from the last run of the `looks` tests to where they are kept. */
import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const KEPT = [
  "beside-the-console",
  "empty-light",
  "streaming-light",
  "answer-light",
  "answer-dark",
  "error-light",
  "history-light",
  "preview-dark",
  "first-run-light",
  "consent-light",
  "consent-dark",
  "annotated-light",
  "picture-light",
  "picture-dark",
];

const from = new URL("artifacts/panel/", import.meta.url);
const to = new URL("../docs/screenshots/", import.meta.url);
await mkdir(to, { recursive: true });
for (const name of KEPT) await copyFile(new URL(`${name}.png`, from), new URL(`${name}.png`, to));
process.stdout.write(`${KEPT.length} pictures in ${fileURLToPath(to)}\n`);
