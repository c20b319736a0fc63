/** Serves the pages that page tools are tried on. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bundle } from "../capture-quality/site";
import { REPOSITORY } from "../harness/paths";
import { type Answer, type Site, startSite } from "../harness/site";

/** A host of the sites that the extension may read. */
const HOST = "tools.console.ves.volterra.io";
const PAGES = join(REPOSITORY, "e2e", "page-tools", "pages");

/** The address of a page. */
export function pageUrl(name: string): string {
  return `https://${HOST}/${name}.html`;
}

/** Starts it. */
export async function servePages(): Promise<Site> {
  const answers: Record<string, Answer> = {};
  for (const file of await readdir(PAGES)) {
    const path = join(PAGES, file);
    answers[`/${file}`] = file.endsWith(".js")
      ? { script: await bundle(path) }
      : { html: await readFile(path, "utf8") };
  }
  return startSite("*.console.ves.volterra.io", answers);
}
