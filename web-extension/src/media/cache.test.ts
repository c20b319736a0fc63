import { describe, expect, it } from "vitest";
import { BlobCache } from "./cache";
import type { MediaAsset } from "./descriptor";

const file = (size: number) => new Blob([new Uint8Array(size)], { type: "image/png" });
const asset = (ref: string, bytes: number): MediaAsset => ({ ref, bytes, mimeType: "image/png" });

describe("the cache", () => {
  it("gives up what was used longest ago to stay within its budget", () => {
    const cache = new BlobCache(100);
    cache.put("a", file(40));
    cache.put("b", file(40));
    cache.get(asset("a", 40));
    cache.put("c", file(40));
    expect(cache.get(asset("b", 40))).toBeUndefined();
    expect(cache.get(asset("a", 40))?.size).toBe(40);
    expect(cache.bytes).toBe(80);
  });

  it.each([
    [99, 99],
    [100, 100],
    [101, 0],
  ])("of 100 bytes keeps of a file of %i bytes %i", (size, kept) => {
    const cache = new BlobCache(100);
    cache.put("a", file(size));
    expect(cache.bytes).toBe(kept);
  });

  it("counts a file once that is put twice", () => {
    const cache = new BlobCache(100);
    cache.put("a", file(40));
    cache.put("a", file(40));
    expect(cache.bytes).toBe(40);
  });
});
