/**
 * Site knowledge: what `contract/sites.json` says about a page. No site is named in code.
 */
import knowledge from "../../../contract/sites.json";
import type { SessionKeyOf } from "./api";

interface SessionKeyRule {
  host: string;
  path?: string | undefined;
  key: string;
}

interface Site {
  hosts: readonly string[];
  /** Hosts of the site: where none of its rules matches, no key is derived. */
  ownHosts: string;
  sessionKeys: readonly SessionKeyRule[];
  /** `path` has the named groups that `pageNames` lists, the most telling first. */
  apiResource: { path: string; pageNames: readonly string[] };
}

const sites: readonly Site[] = knowledge.sites;

/** Match patterns of the pages whose content scripts are part of the build. */
export const siteMatches: string[] = sites.flatMap((site) => site.hosts.map((host) => `https://${host}/*`));

/** See `SessionKeyOf`. */
export const sessionKeyOf: SessionKeyOf = (url) => {
  const page = parsedWebUrl(url);
  if (page === null) return null;
  const host = page.hostname.toLowerCase();
  const site = sites.find((candidate) => new RegExp(candidate.ownHosts).test(host));
  if (site === undefined) return page.origin;
  if (page.protocol !== "https:" || page.port !== "") return null;
  for (const rule of site.sessionKeys) {
    const groups = { ...matched(rule.host, host), ...matched(rule.path ?? "", page.pathname.toLowerCase()) };
    const fits = new RegExp(rule.host).test(host) && new RegExp(rule.path ?? "").test(page.pathname.toLowerCase());
    if (fits) return filled(rule.key, groups);
  }
  return null;
};

function matched(pattern: string, text: string): Record<string, string> {
  return new RegExp(pattern).exec(text)?.groups ?? {};
}

function filled(template: string, groups: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => groups[name] ?? "");
}

/** Parses a URL of the web (http or https); null for anything else. */
export function parsedWebUrl(url: string): URL | null {
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  return parsed.protocol === "https:" || parsed.protocol === "http:" ? parsed : null;
}

/** How well an API path fits a page path: 0 not at all, -1 it is another resource, else the higher the better. */
export interface ResourceMatch {
  rank: number;
  resourceType: string | null;
}

/** Ranks an API path as the resource of a page, first by the rules of known sites, then by the generic rule. */
export function matchResource(apiPath: string, pagePath: string): ResourceMatch {
  const segments = segmentsOf(pagePath);
  for (const site of sites) {
    const groups = new RegExp(site.apiResource.path).exec(apiPath)?.groups;
    if (groups === undefined) continue;
    const [first, ...rest] = site.apiResource.pageNames.map((name) => decodedSegment(groups[name]));
    const named = first !== undefined && segments.includes(first);
    const listed = rest.some((name) => (named ? segments.includes(name) : segments.at(-1) === name));
    return { rank: resourceRank(named, listed), resourceType: groups["type"] ?? null };
  }
  const last = segmentsOf(apiPath).at(-1);
  const fromEnd = last === undefined ? 0 : [...segments].reverse().indexOf(last) + 1;
  return { rank: fromEnd === 1 ? NAMED - 1 : fromEnd === 2 ? 1 : 0, resourceType: null };
}

const NAMED = 4;

function resourceRank(named: boolean, listed: boolean): number {
  if (named) return listed ? NAMED + 1 : NAMED;
  return listed ? 2 : -1;
}

/** Whether a match names the very thing the page is about, so that it survives a client-side navigation to it. */
export function namesThePage(match: ResourceMatch): boolean {
  return match.rank >= NAMED - 1;
}

function segmentsOf(path: string): string[] {
  return path
    .split("/")
    .filter((segment) => segment !== "")
    .map(decodedSegment);
}

function decodedSegment(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? "");
  } catch {
    return segment ?? "";
  }
}
