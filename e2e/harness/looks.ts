/** What a state of the panel looks like in both themes, and what axe-core has to say about it. */
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { field } from "./json";
import { ARTIFACTS } from "./paths";

const FOLDER = join(ARTIFACTS, "panel");
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Takes a picture in each theme; gives what axe-core finds in either. */
export async function look(page: Page, name: string): Promise<string[]> {
  await mkdir(FOLDER, { recursive: true });
  await page.evaluate(axe);
  const findings: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await drawn(page);
    await page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`), animations: "disabled" });
    findings.push(...(await problems(page)).map((problem) => `${name}, ${theme}: ${problem}`));
  }
  await page.emulateMedia({ colorScheme: "light" });
  return findings;
}

async function problems(page: Page): Promise<string[]> {
  const report: unknown = await page.evaluate(() => Reflect.get(globalThis, "axe").run(document));
  const violations = field(report, "violations");
  if (!Array.isArray(violations)) throw new Error("axe-core gave no report");
  return violations.map((found) => `${String(field(found, "id"))} ${JSON.stringify(field(found, "nodes"))}`);
}

async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }),
  );
}
