/** Decides whether a part of a file is the part that was asked for. Every doubt is a fault. Pure. */
import type { MediaAssetChunk } from "../contract/types";
import { isMediaAssetChunk } from "../contract/validators.generated";
import { bytesOf } from "../shared/bytes";
import type { MediaAsset } from "./descriptor";

/** Most bytes of one part. */
export const MAX_CHUNK_BYTES = 262_144;

/** That many bytes in base64. */
const MAX_CHUNK_TEXT = 4 * Math.ceil(MAX_CHUNK_BYTES / 3);

/** What is wrong with a part. */
export type ChunkFault = "shape" | "ref" | "mime" | "offset" | "length" | "next-offset" | "beyond" | "eof" | "empty";

/** The bytes of a part, or what is wrong with it. */
export type CheckedChunk = { ok: true; bytes: Uint8Array; nextOffset: number } | { ok: false; fault: ChunkFault };

/** Checks a part of `asset` that was asked for from `offset` on. */
export function checkChunk(value: unknown, asset: MediaAsset, offset: number): CheckedChunk {
  const frame: unknown = { type: "media_asset_chunk", requestId: "checked", chunk: value };
  if (!isMediaAssetChunk(frame)) return { ok: false, fault: "shape" };
  const { chunk } = frame;
  const bytes = decode(chunk.data);
  const fault = bytes === null ? "shape" : faultOf(chunk, bytes, asset, offset);
  return bytes === null || fault !== null
    ? { ok: false, fault: fault ?? "shape" }
    : { ok: true, bytes, nextOffset: chunk.nextOffset };
}

type Chunk = MediaAssetChunk["chunk"];

function faultOf(chunk: Chunk, bytes: Uint8Array, asset: MediaAsset, offset: number): ChunkFault | null {
  if (chunk.ref !== asset.ref) return "ref";
  if (chunk.mimeType !== asset.mimeType) return "mime";
  if (chunk.offset !== offset) return "offset";
  if (bytes.length !== chunk.bytes || bytes.length > MAX_CHUNK_BYTES) return "length";
  if (chunk.nextOffset !== offset + chunk.bytes) return "next-offset";
  if (chunk.nextOffset > asset.bytes) return "beyond";
  if (chunk.eof !== (chunk.nextOffset === asset.bytes)) return "eof";
  // Without progress the loop would never end.
  if (chunk.bytes === 0 && !chunk.eof) return "empty";
  return null;
}

/** The bytes behind base64, or null for anything that is not base64 or too long to be a part. */
function decode(data: string): Uint8Array | null {
  if (data.length > MAX_CHUNK_TEXT) return null;
  try {
    return bytesOf(data);
  } catch {
    return null;
  }
}
