/**
 * The JSON responses this document has received, and which of them is the resource the page shows.
 *
 * Everything here is the page's word: bounded, checked for its origin, parsed only when a capture asks for it. A
 * response belongs to the path it was seen on. When the path changes it goes, unless it was fetched for the new path
 * a moment before and names what that path names.
 */
import { trimBody } from "../body";
import type { PageResponse } from "../messages";
import { redactJson, redactUrl } from "../redact";
import type { ResourceMatch } from "../sites";
import { matchResource, namesThePage } from "../sites";
import { clip } from "../text";
import type { HookMessage } from "./hook-message";

const RESPONSES_MAX = 12;
const TEXT_TOTAL_MAX = 1024 * 1024;
/** How long before a client-side navigation its data may arrive. */
const AHEAD_MILLISECONDS = 5_000;
const URL_MAX = 1000;
/** Share of the snapshot one body can have at most. */
const BODY_BYTES = 56 * 1024;

interface Seen {
  /** Path and query of the request. */
  url: URL;
  status: number;
  text: string;
  /** Path of the page it belongs to. */
  page: string;
  at: number;
  order: number;
}

/** The responses of one document. */
export class Responses {
  readonly #origin: string;
  #seen: Seen[] = [];
  #page: string;
  #order = 0;
  /** The hook was in place before the page's first request. */
  hooked = false;

  constructor(origin: string, page: string) {
    this.#origin = origin;
    this.#page = page;
  }

  /** Takes a message of the hook, or one the page made up. */
  note(message: HookMessage, page: string, now: number): void {
    this.moveTo(page, now);
    if (message.kind === "ready") {
      this.hooked = true;
      return;
    }
    const { status, text } = message;
    const known = URL.canParse(message.url) ? new URL(message.url) : null;
    if (known === null || known.origin !== this.#origin || !Number.isInteger(status) || status < 100 || status > 599)
      return;
    this.#order += 1;
    const rest = this.#seen.filter((seen) => seen.url.pathname + seen.url.search !== known.pathname + known.search);
    this.#seen = bounded([...rest, { url: known, status, text, page, at: now, order: this.#order }]);
  }

  /** Tells that the page is now on this path. */
  moveTo(page: string, now: number): void {
    if (page === this.#page) return;
    this.#page = page;
    this.#seen = this.#seen.flatMap((seen) => {
      const ahead = now - seen.at <= AHEAD_MILLISECONDS && namesThePage(matchResource(seen.url.pathname, page));
      return ahead ? [{ ...seen, page }] : [];
    });
  }

  /** The resource of the page, redacted; null when none was seen. */
  resource(page: string, now: number): PageResponse | null {
    this.moveTo(page, now);
    const ranked = this.#seen
      .map((seen) => ({ seen, match: matchResource(seen.url.pathname, page) }))
      .filter(({ seen, match }) => match.rank > 0 || (match.rank === 0 && seen.status < 300))
      .sort((a, b) => compare(a, b));
    for (const { seen, match } of ranked) {
      const found = opened(seen, match);
      if (found !== null) return found;
    }
    return null;
  }
}

interface Ranked {
  seen: Seen;
  match: ResourceMatch;
}

/** Best match first; among equals the latest, among strangers the largest. */
function compare(a: Ranked, b: Ranked): number {
  if (a.match.rank !== b.match.rank) return b.match.rank - a.match.rank;
  const size = a.match.rank === 0 ? b.seen.text.length - a.seen.text.length : 0;
  return size === 0 ? b.seen.order - a.seen.order : size;
}

/** Drops the oldest until count and size are within bounds. */
function bounded(seen: Seen[]): Seen[] {
  const kept = seen.slice(-RESPONSES_MAX);
  const size = () => kept.reduce((sum, each) => sum + each.text.length, 0);
  while (size() > TEXT_TOTAL_MAX) kept.shift();
  return kept;
}

function opened(seen: Seen, match: ResourceMatch): PageResponse | null {
  const parsed = parsedJson(seen.text);
  if (typeof parsed !== "object" || parsed === null) return null;
  const { body, cut } = trimBody(redactJson(parsed), BODY_BYTES);
  const url = clip(redactUrl(seen.url.pathname + seen.url.search), URL_MAX);
  return { url, status: seen.status, resourceType: match.resourceType, body, truncated: cut };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
