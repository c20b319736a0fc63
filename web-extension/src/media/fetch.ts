/**
 * Fetches one file part by part and believes nothing about it: a file is handed out only when every part, its length,
 * its hash and its first bytes are what the description says.
 *
 * It holds one buffer of the file's size and one part beside it; the browser itself copies once more while it hashes.
 */
import { MEDIA_READ_MS } from "../bridge/panel-port";
import { hexOf } from "../shared/bytes";
import { type ChunkFault, checkChunk } from "./chunk";
import { MAX_ASSET_BYTES, type MediaAsset } from "./descriptor";
import { isOfType } from "./magic";

/** Why there is no file. */
export type FetchFault =
  | ChunkFault
  | "unavailable"
  | "not-connected"
  | "late"
  | "too-large"
  | "hash"
  | "magic"
  | "ended";

/** The answer to a question for a part. */
export type ReadAnswer = { ok: true; chunk: unknown } | { ok: false; fault: "unavailable" | "not-connected" };

/** Asks for the part of a file that begins at `offset`. */
export type ReadChunk = (ref: string, offset: number) => Promise<ReadAnswer>;

/** A checked file, or why there is none. */
export type Fetched = { ok: true; blob: Blob } | { ok: false; fault: FetchFault };

/** One file to fetch. */
export interface FetchOrder {
  asset: MediaAsset;
  read: ReadChunk;
  /** Hears how many bytes have arrived. */
  onProgress?: (loaded: number) => void;
  /** Ends the fetch: nothing is asked any more. */
  signal: AbortSignal;
}

/** Fetches and checks a file. */
export async function fetchAsset(order: FetchOrder): Promise<Fetched> {
  const { asset } = order;
  if (asset.bytes > MAX_ASSET_BYTES) return { ok: false, fault: "too-large" };
  const file = new Uint8Array(asset.bytes);
  const fault = (await fill(file, order)) ?? (await faultOfWhole(file, asset));
  if (order.signal.aborted) return { ok: false, fault: "ended" };
  return fault === null ? { ok: true, blob: new Blob([file], { type: asset.mimeType }) } : { ok: false, fault };
}

/** Asks for one part after the other until the file is full. */
async function fill(file: Uint8Array, order: FetchOrder): Promise<FetchFault | null> {
  let offset = 0;
  while (offset < file.length) {
    const answer = await readTwice(order, offset);
    if (order.signal.aborted) return "ended";
    if (!answer.ok) return answer.fault;
    const checked = checkChunk(answer.chunk, order.asset, offset);
    if (!checked.ok) return checked.fault;
    file.set(checked.bytes, offset);
    offset = checked.nextOffset;
    order.onProgress?.(offset);
  }
  return null;
}

type Answer = { ok: true; chunk: unknown } | { ok: false; fault: "unavailable" | "not-connected" | "late" | "ended" };

/** A part that did not come (it was late, or the connection broke) is asked for once more. */
async function readTwice(order: FetchOrder, offset: number): Promise<Answer> {
  const first = await readOnce(order, offset);
  const again = !first.ok && (first.fault === "late" || first.fault === "not-connected");
  return again ? readOnce(order, offset) : first;
}

function readOnce({ asset, read, signal }: FetchOrder, offset: number): Promise<Answer> {
  if (signal.aborted) return Promise.resolve({ ok: false, fault: "ended" });
  const attempt = new AbortController();
  return new Promise<Answer>((resolve) => {
    const fail = (fault: "late" | "ended" | "unavailable") => resolve({ ok: false, fault });
    const timer = setTimeout(() => fail("late"), MEDIA_READ_MS);
    attempt.signal.addEventListener("abort", () => clearTimeout(timer));
    signal.addEventListener("abort", () => fail("ended"), { signal: attempt.signal });
    read(asset.ref, offset).then(resolve, () => fail("unavailable"));
  }).finally(() => attempt.abort());
}

async function faultOfWhole(file: Uint8Array<ArrayBuffer>, asset: MediaAsset): Promise<FetchFault | null> {
  if (refOf(await crypto.subtle.digest("SHA-256", file)) !== asset.ref) return "hash";
  return isOfType(file, asset.mimeType) ? null : "magic";
}

function refOf(digest: ArrayBuffer): string {
  return `blob:sha256:${hexOf(new Uint8Array(digest))}`;
}
