/**
 * Typed reading and writing of extension storage: what comes out is checked, because an older version may have written it.
 *
 * Incognito keys are set apart, so that nothing of an incognito window meets the rest.
 */
import { inIncognito } from "./platform";

/** `local` survives the browser, `session` ends with it and is never on disk. */
export type Area = "local" | "session";

/** Reads one value; undefined when it is absent or not what was expected. */
export async function load<T>(area: Area, key: string, guard: (value: unknown) => value is T): Promise<T | undefined> {
  const name = keyOf(area, key);
  const found = await chrome.storage[area].get(name);
  const value: unknown = found[name];
  return guard(value) ? value : undefined;
}

/** Reads every value whose key starts with `prefix`; what does not fit is left out. */
export async function loadAll<T>(area: Area, prefix: string, guard: (value: unknown) => value is T): Promise<T[]> {
  const start = keyOf(area, prefix);
  const all = await chrome.storage[area].get(null);
  return Object.entries(all).flatMap(([key, value]: [string, unknown]) =>
    key.startsWith(start) && guard(value) ? [value] : [],
  );
}

/** Writes one value. */
export async function save(area: Area, key: string, value: unknown): Promise<void> {
  await chrome.storage[area].set({ [keyOf(area, key)]: value });
}

/** Removes one value. */
export async function remove(area: Area, key: string): Promise<void> {
  await chrome.storage[area].remove(keyOf(area, key));
}

/** Removes every value whose key starts with `prefix`. */
export async function removeAll(area: Area, prefix: string): Promise<void> {
  const start = keyOf(area, prefix);
  const names = Object.keys(await chrome.storage[area].get(null));
  await chrome.storage[area].remove(names.filter((name) => name.startsWith(start)));
}

/** Session storage may be shared between the two halves of a split extension; local storage holds the pairing, which both use. */
function keyOf(area: Area, key: string): string {
  return area === "session" && inIncognito() ? `incognito:${key}` : key;
}
