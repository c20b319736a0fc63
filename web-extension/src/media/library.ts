/**
 * The media of a page: fetches each file once however many rows show it, a few files at a time, keeps what fits, and
 * ends a fetch when nobody wants it any more.
 */
import { BlobCache } from "./cache";
import type { MediaAsset } from "./descriptor";
import { type Fetched, type FetchFault, fetchAsset, type ReadAnswer } from "./fetch";
import { Slots } from "./slots";
import { ObjectUrls } from "./urls";

/** A file that is shown, or why it is not. The URL lives until the opener's signal ends. */
export type Opened = { ok: true; url: string; blob: Blob } | { ok: false; fault: FetchFault };

/** Reads a part of a file of a conversation. */
export type ReadOf = (conversation: string, ref: string, offset: number) => Promise<ReadAnswer>;

/** What is opened, for whom, until when. */
export interface OpenOrder {
  conversation: string;
  asset: MediaAsset;
  onProgress?: (loaded: number) => void;
  signal: AbortSignal;
}

/** One fetch that several may wait for. */
interface Fetch {
  result: Promise<Fetched>;
  listeners: Set<(loaded: number) => void>;
  waiting: number;
  life: AbortController;
}

/** Bytes of files that are kept when nothing shows them. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** Files that are fetched at once; the worker answers four reads of a connection at a time. */
const AT_ONCE = 3;

/** The files that rows of a page open. */
export class MediaLibrary {
  readonly #read: ReadOf;
  readonly #cache = new BlobCache(CACHE_BYTES);
  readonly #urls = new ObjectUrls();
  readonly #slots = new Slots(AT_ONCE);
  readonly #fetches = new Map<string, Fetch>();

  constructor(read: ReadOf) {
    this.#read = read;
  }

  /** Opens a file. */
  async open(order: OpenOrder): Promise<Opened> {
    const { asset, signal } = order;
    const kept = this.#cache.get(asset);
    const fetched: Fetched = kept === undefined ? await this.#join(order) : { ok: true, blob: kept };
    if (signal.aborted) return { ok: false, fault: "ended" };
    if (!fetched.ok) return fetched;
    return { ok: true, blob: fetched.blob, url: this.#urls.hold(fetched.blob, signal) };
  }

  /** Waits for a fetch that runs already, or begins it; the last one who leaves ends it. */
  async #join(order: OpenOrder): Promise<Fetched> {
    const { signal, onProgress } = order;
    const fetch = this.#fetchOf(order);
    fetch.waiting += 1;
    if (onProgress !== undefined) fetch.listeners.add(onProgress);
    const fetched = await unlessAborted(fetch.result, signal);
    if (onProgress !== undefined) fetch.listeners.delete(onProgress);
    fetch.waiting -= 1;
    if (fetch.waiting === 0) fetch.life.abort();
    return fetched;
  }

  #fetchOf(order: OpenOrder): Fetch {
    const { asset, conversation } = order;
    // A file may be read only in a conversation that shows it; size and type are part of what was promised.
    const key = JSON.stringify([conversation, asset.ref, asset.bytes, asset.mimeType]);
    const running = this.#fetches.get(key);
    if (running !== undefined && !running.life.signal.aborted) return running;
    const fetch = this.#begin(order);
    this.#fetches.set(key, fetch);
    const forget = () => {
      if (this.#fetches.get(key) === fetch) this.#fetches.delete(key);
    };
    fetch.result.then(forget, forget);
    return fetch;
  }

  #begin({ asset, conversation }: OpenOrder): Fetch {
    const life = new AbortController();
    const listeners = new Set<(loaded: number) => void>();
    const result = this.#slots.run(async () => {
      const fetched = await fetchAsset({
        asset,
        read: (ref, offset) => this.#read(conversation, ref, offset),
        onProgress: (loaded) => {
          for (const listener of listeners) listener(loaded);
        },
        signal: life.signal,
      });
      if (fetched.ok) this.#cache.put(asset.ref, fetched.blob);
      return fetched;
    });
    return { result, listeners, waiting: 0, life };
  }
}

/** The result of a fetch, or at once "ended" for who leaves before it is there. */
function unlessAborted(result: Promise<Fetched>, signal: AbortSignal): Promise<Fetched> {
  return new Promise((resolve) => {
    const leave = () => resolve({ ok: false, fault: "ended" });
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    result.then(resolve, leave).finally(() => signal.removeEventListener("abort", leave));
  });
}
