/** Each row of the table of checks (chat-extension.md §7) fails closed, on real bytes with real hashes. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MEDIA_READ_MS } from "../bridge/panel-port";
import { MAX_CHUNK_BYTES } from "./chunk";
import { MAX_ASSET_BYTES, type MediaAsset } from "./descriptor";
import { type FetchFault, fetchAsset, type ReadAnswer } from "./fetch";
import { fileOf, pngOf, type TestChunk, type TestFile, workerOf } from "./testing/files";

const never = new AbortController().signal;
const small = pngOf(1000);
const large = pngOf(2 * MAX_CHUNK_BYTES + 5);

/** What becomes of a file whose parts are changed on the way. */
async function faultWith(
  file: TestFile,
  change: (chunk: TestChunk) => unknown,
  asset: MediaAsset = file.asset,
): Promise<FetchFault | null> {
  const { read } = workerOf([file], change);
  const fetched = await fetchAsset({ asset, read, signal: never });
  return fetched.ok ? null : fetched.fault;
}

const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString("base64");

describe("a file that is what it is said to be", () => {
  it("arrives whole, each part asked for where the one before ended", async () => {
    const { asked, read } = workerOf([large]);
    const progress: number[] = [];
    const fetched = await fetchAsset({
      asset: large.asset,
      read,
      signal: never,
      onProgress: (loaded) => progress.push(loaded),
    });
    expect(fetched.ok && Buffer.from(await fetched.blob.arrayBuffer()).equals(large.bytes)).toBe(true);
    expect(fetched.ok && fetched.blob.type).toBe("image/png");
    expect(asked.map(({ offset }) => offset)).toEqual([0, MAX_CHUNK_BYTES, 2 * MAX_CHUNK_BYTES]);
    expect(progress).toEqual([MAX_CHUNK_BYTES, 2 * MAX_CHUNK_BYTES, large.bytes.length]);
  });

  it.each([MAX_CHUNK_BYTES - 1, MAX_CHUNK_BYTES, MAX_CHUNK_BYTES + 1])("may have %i bytes", async (size) => {
    expect(await faultWith(pngOf(size), (chunk) => chunk)).toBeNull();
  });
});

describe("a part is refused", () => {
  const changed = (change: Partial<TestChunk>) => (chunk: TestChunk) => ({ ...chunk, ...change });

  it.each<[string, FetchFault, (chunk: TestChunk) => unknown]>([
    ["that is no chunk at all", "shape", () => ({ hello: "world" })],
    ["with a key too many", "shape", (chunk) => ({ ...chunk, path: "/tmp/x" })],
    ["that is not base64", "shape", changed({ data: "%%%" })],
    ["that is longer than a part may be", "shape", changed({ data: base64(MAX_CHUNK_BYTES + 3) })],
    ["of another file", "ref", changed({ ref: pngOf(1000, 2).asset.ref })],
    ["of another type", "mime", changed({ mimeType: "image/gif" })],
    ["from another place", "offset", changed({ offset: 1, nextOffset: 1001 })],
    ["whose length is not what it says", "length", changed({ data: base64(999) })],
    ["whose end is not where it says", "next-offset", changed({ nextOffset: 999 })],
    ["that goes beyond the end", "beyond", changed({ data: base64(1001), bytes: 1001, nextOffset: 1001 })],
    ["that is the last and does not say so", "eof", changed({ eof: false })],
    ["that is empty and not the last", "empty", changed({ data: "", bytes: 0, nextOffset: 0, eof: false })],
  ])("%s", async (_name, fault, change) => {
    expect(await faultWith(small, change)).toBe(fault);
  });

  it("that says it is the last and is not", async () => {
    expect(await faultWith(large, (chunk) => ({ ...chunk, eof: true }))).toBe("eof");
  });

  it("when any later one is wrong, and nothing more is asked", async () => {
    const { asked, read } = workerOf([large], (chunk) => (chunk.offset === 0 ? chunk : { ...chunk, offset: 0 }));
    const fetched = await fetchAsset({ asset: large.asset, read, signal: never });
    expect(fetched).toEqual({ ok: false, fault: "offset" });
    expect(asked).toHaveLength(2);
  });
});

describe("a whole is refused", () => {
  it("when it is shorter than announced", async () => {
    expect(await faultWith(small, (chunk) => chunk, { ...small.asset, bytes: 1001 })).toBe("eof");
  });

  it("when its hash is another, by a single bit", async () => {
    const flip = (chunk: TestChunk) => {
      const bytes = Buffer.from(chunk.data, "base64");
      bytes[500] = (bytes[500] ?? 0) ^ 1;
      return { ...chunk, data: bytes.toString("base64") };
    };
    expect(await faultWith(small, flip)).toBe("hash");
  });

  it.each<[MediaAsset["mimeType"], string]>([
    ["image/png", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"],
    ["image/jpeg", "GIF89a"],
    ["image/gif", "<html><script>alert(1)</script>"],
    ["image/webp", "RIFF____WAVE"],
    ["video/mp4", "\u001aE\u00df\u00a3webm"],
  ])("when it is no %s by its first bytes", async (mimeType, text) => {
    expect(await faultWith(fileOf(Buffer.from(text), mimeType), (chunk) => chunk)).toBe("magic");
  });

  it.each([
    ["is not UTF-8", [0x61, 0xff, 0x62]],
    ["breaks off inside a letter", [0x61, 0xc3]],
    ["holds a zero byte", [0x61, 0x00, 0x62]],
  ])("when a text %s", async (_name, bytes) => {
    expect(await faultWith(fileOf(Uint8Array.from(bytes), "text/plain"), (chunk) => chunk)).toBe("magic");
  });

  it.each<[MediaAsset["mimeType"], number[]]>([
    ["image/jpeg", [0xff, 0xd8, 0xff, 0xe0]],
    ["image/gif", [...Buffer.from("GIF87a...")]],
    ["image/webp", [...Buffer.from("RIFF____WEBPVP8 ")]],
    ["video/mp4", [0, 0, 0, 24, ...Buffer.from("ftypisom")]],
    ["text/plain", [...Buffer.from("grüße\n日本")]],
  ])("but not a true %s", async (mimeType, bytes) => {
    expect(await faultWith(fileOf(Uint8Array.from(bytes), mimeType), (chunk) => chunk)).toBeNull();
  });

  it("when it is larger than anything the worker stores, before anything is asked", async () => {
    const { asked, read } = workerOf([small]);
    const asset = { ...small.asset, bytes: MAX_ASSET_BYTES + 1 };
    expect(await fetchAsset({ asset, read, signal: never })).toEqual({ ok: false, fault: "too-large" });
    expect(asked).toEqual([]);
  });
});

describe("a part that does not come", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const silent = () => new Promise<ReadAnswer>(() => undefined);

  it("is asked for once more, and only once", async () => {
    const read = vi.fn(silent);
    const fetched = fetchAsset({ asset: small.asset, read, signal: never });
    await vi.advanceTimersByTimeAsync(MEDIA_READ_MS);
    expect(read).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(MEDIA_READ_MS);
    expect(await fetched).toEqual({ ok: false, fault: "late" });
    expect(read).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may come the second time, from the same place", async () => {
    const { read } = workerOf([small]);
    const answers = [silent, read];
    const asked: number[] = [];
    const fetched = fetchAsset({
      asset: small.asset,
      signal: never,
      read: (ref, offset) => {
        asked.push(offset);
        return (answers.shift() ?? silent)(ref, offset);
      },
    });
    await vi.advanceTimersByTimeAsync(MEDIA_READ_MS);
    expect((await fetched).ok).toBe(true);
    expect(asked).toEqual([0, 0]);
  });

  it("because the connection broke is asked for once more", async () => {
    const read = vi.fn(async (): Promise<ReadAnswer> => ({ ok: false, fault: "not-connected" }));
    expect(await fetchAsset({ asset: small.asset, read, signal: never })).toEqual({
      ok: false,
      fault: "not-connected",
    });
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("because the worker refuses it is not asked for again", async () => {
    const { asked, read } = workerOf([]);
    expect(await fetchAsset({ asset: small.asset, read, signal: never })).toEqual({ ok: false, fault: "unavailable" });
    expect(asked).toHaveLength(1);
  });
});

it("a fetch that nobody wants any more asks for nothing more", async () => {
  const life = new AbortController();
  const { asked, read } = workerOf([large]);
  const fetched = fetchAsset({ asset: large.asset, read, signal: life.signal, onProgress: () => life.abort() });
  expect(await fetched).toEqual({ ok: false, fault: "ended" });
  expect(asked).toHaveLength(1);
});

it("a fetch that waits for a part ends at once", async () => {
  const life = new AbortController();
  const fetched = fetchAsset({
    asset: small.asset,
    read: () => new Promise(() => undefined),
    signal: life.signal,
  });
  life.abort();
  expect(await fetched).toEqual({ ok: false, fault: "ended" });
});
