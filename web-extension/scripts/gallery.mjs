// @ts-check
/**
 * Shows every state of the panel and the options page in a real Chromium: takes a picture, lets axe-core look at it,
 * and drives what a person does. Any finding makes it fail. `node scripts/gallery.mjs [part of a name …]`.
 */
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { attacks } from "./gallery/attacks.mjs";
import { behaviour } from "./gallery/behaviour.mjs";
import { launch } from "./gallery/browser.mjs";
import { consents } from "./gallery/consents.mjs";
import { media } from "./gallery/media.mjs";
import { pictures } from "./gallery/pictures.mjs";
import { serveGallery } from "./gallery/site.mjs";
import { streaming } from "./gallery/streaming.mjs";

/** @typedef {import("./gallery/browser.mjs").Check} Check */

const OUTPUT = fileURLToPath(new URL("../../e2e/artifacts/gallery/", import.meta.url));
const AT_ONCE = 2;

const wanted = process.argv.slice(2);
/** @type {Check[]} */
const all = [...pictures(OUTPUT), ...behaviour, ...streaming, ...consents, ...media, ...attacks];
const checks = all.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (wanted.length === 0) await rm(OUTPUT, { recursive: true, force: true });
await mkdir(OUTPUT, { recursive: true });

const site = await serveGallery();
const browser = await launch();
/** @type {string[]} */
const failures = [];

/**
 * A check that fails is looked at once more, and said so: on a busy machine a real browser misses a moment now and
 * then, and a real fault fails twice.
 * @param {Check} check
 */
async function examine(check) {
  const first = await run(check);
  if (first === null) return;
  process.stderr.write(`again: ${first}\n`);
  const second = await run(check);
  if (second !== null) failures.push(second);
}

/**
 * @param {Check} check
 * @returns {Promise<string | null>}
 */
async function run({ name, run }) {
  const context = await browser.newContext({ viewport: { width: 380, height: 720 }, deviceScaleFactor: 2 });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: site.origin });
  try {
    await run({ context, origin: site.origin });
    return null;
  } catch (error) {
    return `${name}: ${error instanceof Error ? error.message : error}`;
  } finally {
    await context.close();
  }
}

/** @param {Check[]} queue */
async function worker(queue) {
  for (let check = queue.shift(); check !== undefined; check = queue.shift()) await examine(check);
}

try {
  const queue = [...checks];
  await Promise.all(Array.from({ length: AT_ONCE }, () => worker(queue)));
} finally {
  await browser.close();
  await site.close();
}

for (const failure of failures) process.stderr.write(`FAILED ${failure}\n`);
process.stdout.write(
  `gallery: ${checks.length - failures.length} of ${checks.length} checks passed; pictures in e2e/artifacts/gallery\n`,
);
process.exitCode = failures.length === 0 && checks.length > 0 ? 0 : 1;
