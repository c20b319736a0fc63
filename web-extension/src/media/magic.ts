/** Tells from the first bytes whether a file is what it is said to be. Never trusts a name or a header. Pure. */
import type { MediaAsset } from "./descriptor";

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];
const GIF_87 = ascii("GIF87a");
const GIF_89 = ascii("GIF89a");
const RIFF = ascii("RIFF");
const WEBP = ascii("WEBP");
const FTYP = ascii("ftyp");

/** True when the bytes begin as a file of that type does; text has to be UTF-8 without zero bytes throughout. */
export function isOfType(bytes: Uint8Array, mimeType: MediaAsset["mimeType"]): boolean {
  switch (mimeType) {
    case "image/png":
      return hasAt(bytes, 0, PNG);
    case "image/jpeg":
      return hasAt(bytes, 0, JPEG);
    case "image/gif":
      return hasAt(bytes, 0, GIF_87) || hasAt(bytes, 0, GIF_89);
    case "image/webp":
      return hasAt(bytes, 0, RIFF) && hasAt(bytes, 8, WEBP);
    case "video/mp4":
      return hasAt(bytes, 4, FTYP);
    case "text/plain":
      return isText(bytes);
  }
}

function hasAt(bytes: Uint8Array, offset: number, wanted: readonly number[]): boolean {
  return wanted.every((byte, index) => bytes[offset + index] === byte);
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function ascii(text: string): number[] {
  return [...text].map((character) => character.charCodeAt(0));
}
