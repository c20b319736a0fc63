/**
 * What each open panel was showing, for the case that the service worker dies under it: the panel stays, attaches again
 * and must find its place. A panel that is closed while the service worker lives forgets its place.
 */
import { isRecord } from "../shared/guards";
import { load, save } from "../shared/storage";

const KEY = "places";

/** Conversation keys by the name of a panel's place. */
export class Places {
  readonly #places = new Map<string, string>();
  /** Places of panels that a dead service worker knew and that have not come back yet. */
  readonly #orphans = new Map<string, string>();

  async restore(): Promise<void> {
    const kept = await load("session", KEY, isRecord).catch(() => undefined);
    for (const [place, key] of Object.entries(kept ?? {})) if (typeof key === "string") this.#orphans.set(place, key);
  }

  /** The conversation a returning panel was showing; answers once. */
  claim(place: string): string | undefined {
    const key = this.#orphans.get(place);
    this.#orphans.delete(place);
    return key;
  }

  /** A panel shows a conversation. */
  put(place: string, key: string): void {
    if (this.#places.get(place) === key) return;
    this.#places.set(place, key);
    this.#save();
  }

  /** A panel was closed. */
  forget(place: string): void {
    if (this.#places.delete(place)) this.#save();
  }

  /** Conversations that a panel may still come back to. */
  isAwaited(key: string): boolean {
    return [...this.#orphans.values()].includes(key);
  }

  #save(): void {
    // Losing this costs the place in the browser, never a conversation.
    void save("session", KEY, Object.fromEntries([...this.#orphans, ...this.#places])).catch(() => undefined);
  }
}

/** The names of the places that were kept, read without taking them over. */
export async function keptPlaces(): Promise<string[]> {
  return Object.keys((await load("session", KEY, isRecord)) ?? {});
}
