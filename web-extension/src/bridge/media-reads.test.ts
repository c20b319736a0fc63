import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import chat from "../../../contract/schema/chat-2.1.0.json";
import type { MediaAssetRead } from "../contract/types";
import { isMediaAssetChunk, isMediaAssetRead } from "../contract/validators.generated";
import { MediaReads } from "./media-reads";
import { MEDIA_READ_MS } from "./panel-port";

const REF = `blob:sha256:${"a".repeat(64)}`;
let sent: MediaAssetRead[];
let open: boolean;
let reads: MediaReads;

beforeEach(() => {
  vi.useFakeTimers();
  [sent, open] = [[], true];
  reads = new MediaReads((frame) => {
    if (open) sent.push(frame);
    return open;
  });
});

afterEach(() => {
  vi.useRealTimers();
});

/** The worker answers the read at a place. */
function answer(at: number): void {
  const frame: unknown = { ...chat.examples.valid.media_asset_chunk, requestId: sent[at]?.requestId };
  if (isMediaAssetChunk(frame)) reads.answered(frame);
}

describe("reads of media", () => {
  it("are asked for in the contract's form, each under a name of its own", async () => {
    const read = [reads.read(REF, 0), reads.read(REF, 262_144)];
    expect(sent.every(isMediaAssetRead)).toBe(true);
    expect(new Set(sent.map(({ requestId }) => requestId)).size).toBe(2);
    answer(1);
    expect(await read[1]).toMatchObject({ ok: true, body: { kind: "media", chunk: { bytes: 3, eof: true } } });
    reads.answered({ type: "media_asset_error", requestId: sent[0]?.requestId ?? "", error: "asset-unavailable" });
    expect(await read[0]).toMatchObject({ ok: false, code: "media-unavailable" });
  });

  it("are at most four at once, the rest in line", async () => {
    const all = Array.from({ length: 6 }, (_, at) => reads.read(REF, at));
    expect(sent).toHaveLength(4);
    answer(2);
    await all[2];
    expect(sent.map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4]);
    answer(2);
    expect(sent).toHaveLength(5);
    answer(0);
    expect(sent).toHaveLength(6);
  });

  it("stand in a bounded line", async () => {
    const all = Array.from({ length: 69 }, () => reads.read(REF, 0));
    expect(await all[68]).toMatchObject({ ok: false, code: "media-unavailable" });
    reads.closed();
    expect(await all[67]).toMatchObject({ ok: false, code: "not-connected" });
  });

  it("do not wait for ever, and give their place away", async () => {
    const all = Array.from({ length: 5 }, () => reads.read(REF, 0));
    await vi.advanceTimersByTimeAsync(MEDIA_READ_MS);
    expect(await all[0]).toMatchObject({ ok: false, code: "media-unavailable" });
    expect(sent).toHaveLength(5);
    answer(0);
    answer(4);
    expect(await all[4]).toMatchObject({ ok: true });
  });

  it("all fail at once when the connection closes, and new ones while there is none", async () => {
    const all = Array.from({ length: 5 }, () => reads.read(REF, 0));
    open = false;
    reads.closed();
    for (const read of await Promise.all(all)) expect(read).toMatchObject({ ok: false, code: "not-connected" });
    expect(await reads.read(REF, 0)).toMatchObject({ ok: false, code: "not-connected" });
    open = true;
    reads.read(REF, 0).catch(() => undefined);
    expect(sent).toHaveLength(5);
  });

  it("S21: ask for nothing that is no ref", async () => {
    const wrong = [
      "",
      "/etc/passwd",
      REF.toUpperCase(),
      REF.slice(0, -1),
      `${REF}a`,
      `${REF}\n`,
      "blob:sha256:../../x",
    ];
    for (const ref of wrong) expect(await reads.read(ref, 0)).toMatchObject({ ok: false, code: "media-unavailable" });
    for (const offset of [-1, 0.5, Number.NaN, 2 ** 60]) {
      expect(await reads.read(REF, offset)).toMatchObject({ ok: false, code: "media-unavailable" });
    }
    expect(sent).toEqual([]);
  });
});
