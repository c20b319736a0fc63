/**
 * The keyed hash of the handshake: HMAC-SHA-256 over length-prefixed fields.
 *
 * It knows the byte layout and nothing about who proves what to whom.
 */
import { hexOf } from "../shared/bytes";

const encoder = new TextEncoder();

/** 32 random bytes as lower-case hex. */
export function randomHex256(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(32)));
}

/** HMAC-SHA-256 of the fields under a secret of 64 hex digits, as lower-case hex. */
export async function macOf(secretHex: string, fields: readonly string[]): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" } as const;
  const key = await crypto.subtle.importKey("raw", bytesOf(secretHex), algorithm, false, ["sign"]);
  return hexOf(new Uint8Array(await crypto.subtle.sign("HMAC", key, layout(fields))));
}

/** Compares two hashes without telling by time where they differ. */
export function sameMac(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

/** Each field as a big-endian u32 byte count and its UTF-8 bytes, so that no two lists of fields give the same bytes. */
function layout(fields: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoded = fields.map((field) => encoder.encode(field));
  const out = new Uint8Array(encoded.reduce((sum, bytes) => sum + 4 + bytes.length, 0));
  const view = new DataView(out.buffer);
  let offset = 0;
  for (const bytes of encoded) {
    view.setUint32(offset, bytes.length);
    out.set(bytes, offset + 4);
    offset += 4 + bytes.length;
  }
  return out;
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16);
  return bytes;
}
