/** Files with real bytes and real hashes, and a worker that reads them out, for tests. */
import { createHash } from "node:crypto";
import type { MediaAsset } from "../descriptor";
import type { ReadAnswer, ReadChunk } from "../fetch";

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const CHUNK = 262_144;

/** A file and how it is described. */
export interface TestFile {
  bytes: Uint8Array;
  asset: MediaAsset;
}

/** A part as it crosses the wire. */
export interface TestChunk {
  ref: string;
  mimeType: string;
  offset: number;
  nextOffset: number;
  eof: boolean;
  bytes: number;
  data: string;
}

/** A file of these bytes. */
export function fileOf(bytes: Uint8Array, mimeType: MediaAsset["mimeType"]): TestFile {
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { bytes, asset: { ref: `blob:sha256:${hash}`, mimeType, bytes: bytes.length } };
}

/** Something that begins as a PNG does, of a certain size. */
export function pngOf(size: number, seed = 1): TestFile {
  const bytes = Uint8Array.from({ length: size }, (_, index) => PNG[index] ?? (index * 31 + seed) % 256);
  return fileOf(bytes, "image/png");
}

/** The part of a file that a well-behaved worker sends. */
export function partOf({ bytes, asset }: TestFile, offset: number): TestChunk {
  const part = bytes.slice(offset, offset + CHUNK);
  const nextOffset = offset + part.length;
  return {
    ref: asset.ref,
    mimeType: asset.mimeType,
    offset,
    nextOffset,
    eof: nextOffset === bytes.length,
    bytes: part.length,
    data: Buffer.from(part).toString("base64"),
  };
}

/** A worker that reads out some files, and what it was asked. */
export function workerOf(files: readonly TestFile[], change: (chunk: TestChunk) => unknown = (chunk) => chunk) {
  const asked: { ref: string; offset: number }[] = [];
  const read: ReadChunk = async (ref, offset): Promise<ReadAnswer> => {
    asked.push({ ref, offset });
    const file = files.find(({ asset }) => asset.ref === ref);
    return file === undefined ? { ok: false, fault: "unavailable" } : { ok: true, chunk: change(partOf(file, offset)) };
  };
  return { asked, read };
}
