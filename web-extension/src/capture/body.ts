/**
 * Trims the body of an API response to a budget of bytes, by structure: arrays are cut with a count, long texts are
 * clipped, and only at the very end whole members go, the least telling first. The body is never replaced by a note.
 */
import { clip, jsonBytes } from "./text";

export interface TrimmedBody {
  body: unknown;
  cut: boolean;
}

interface Allowance {
  text: number;
  items: number;
  members: number;
}

/** From gentle to harsh; the first allowance that fits is taken. */
const ALLOWANCES: readonly Allowance[] = [
  { text: 4000, items: 400, members: 400 },
  { text: 2000, items: 100, members: 300 },
  { text: 1000, items: 40, members: 200 },
  { text: 400, items: 20, members: 120 },
  { text: 200, items: 10, members: 80 },
  { text: 100, items: 5, members: 50 },
  { text: 60, items: 2, members: 30 },
];

/** Members that say what a resource is; they are the last to go. */
const TELLING = ["name", "namespace", "kind", "id", "metadata", "status", "spec"];

/** Cuts `body` (already redacted) to `budget` bytes of JSON. */
export function trimBody(body: unknown, budget: number): TrimmedBody {
  if (jsonBytes(body) <= budget) return { body, cut: false };
  let harshest: unknown = null;
  for (const allowance of ALLOWANCES) {
    harshest = shrink(body, allowance);
    if (jsonBytes(harshest) <= budget) return { body: harshest, cut: true };
  }
  return { body: dropMembers(harshest, budget), cut: true };
}

/** Recursion is safe: a redacted body is at most 32 levels deep. */
function shrink(value: unknown, allowance: Allowance): unknown {
  if (typeof value === "string") return clip(value, allowance.text);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = value.slice(0, allowance.items).map((item: unknown) => shrink(item, allowance));
    const more = value.length - items.length;
    return more > 0 ? [...items, `[${more} more]`] : items;
  }
  const members = Object.entries(value);
  const shown = members.slice(0, allowance.members).map(([key, item]) => [clip(key, 200), shrink(item, allowance)]);
  const more = members.length - shown.length;
  return Object.fromEntries(more > 0 ? [...shown, ["…", `[${more} more]`]] : shown);
}

/** Keeps the telling members and the small ones, as far as the budget goes. */
function dropMembers(value: unknown, budget: number): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return clip("[cut]", Math.max(budget, 0));
  const priced = Object.entries(value).map(([key, item]) => ({ key, item, price: jsonBytes({ [key]: item }) }));
  priced.sort((a, b) => telling(a.key) - telling(b.key) || a.price - b.price);
  const kept: [string, unknown][] = [];
  let left = budget - jsonBytes({ "…": `[${priced.length} more]` });
  for (const { key, item, price } of priced) {
    if (price > left) continue;
    left -= price;
    kept.push([key, item]);
  }
  const more = priced.length - kept.length;
  return Object.fromEntries(more > 0 ? [...kept, ["…", `[${more} more]`]] : kept);
}

function telling(key: string): number {
  const rank = TELLING.indexOf(key);
  return rank < 0 ? TELLING.length : rank;
}
