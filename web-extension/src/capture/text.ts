/**
 * Text measures shared by all of capture: clipping and sizes in UTF-8 bytes.
 *
 * Every string of a snapshot has passed `clip` or `tidy`, so none carries a lone surrogate.
 */

const encoder = new TextEncoder();

/** Glyphs of icon fonts, zero-width marks and control characters: they carry no words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed.
const WORDLESS = /[\u0000-\u0008\u000e-\u001f\u007f\u200b\u2060\ufeff\ue000-\uf8ff]+/g;

/** Cuts a text to `max` UTF-16 units with an ellipsis, never through a surrogate pair. */
export function clip(text: string, max: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= max) return whole;
  const cut = whole.slice(0, Math.max(0, max - 1));
  const last = cut.charCodeAt(cut.length - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return `${splitsPair ? cut.slice(0, -1) : cut}…`;
}

/** Text that needs no tidying; most of a page is such. */
const TIDY = /^[!-~]+(?: [!-~]+)*$/;

/** Collapses white space and drops characters that carry no words. */
export function tidy(text: string): string {
  if (TIDY.test(text)) return text;
  return text.toWellFormed().replace(WORDLESS, "").replace(/\s+/g, " ").trim();
}

const ASCII = /^[\0-\x7f]*$/;

/** Bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  if (ASCII.test(text)) return text.length;
  return encoder.encode(text).length;
}

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value) ?? "null");
}
