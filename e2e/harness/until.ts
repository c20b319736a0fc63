/** Waiting for something that only looking can tell. */
import { setTimeout as pause } from "node:timers/promises";

/** How long anything may take on a machine that does other things too. */
export const PATIENCE_MS = 30_000;

const LOOK_EVERY_MS = 40;

/** Looks again and again until there is something to see; fails with what was waited for. */
export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}

/** Waits until two things are equal; fails with both. */
export async function untilEqual<T>(what: string, expected: T, look: () => Promise<T>): Promise<void> {
  let seen: T | undefined;
  await until(what, async () => {
    seen = await look();
    return seen === expected ? true : undefined;
  }).catch(() => {
    throw new Error(`${what} should be ${JSON.stringify(expected)} and is ${JSON.stringify(seen)}`);
  });
}
