// @ts-check
/** Match patterns of the sites that the product knows, for the manifest. */
import { readFileSync } from "node:fs";

/** @returns {string[]} */
export function siteMatchesOf() {
  /** @type {{ sites: { hosts: string[] }[] }} */
  const file = JSON.parse(readFileSync(new URL("../../contract/sites.json", import.meta.url), "utf8"));
  return file.sites.flatMap((site) => site.hosts.map((host) => `https://${host}/*`));
}
