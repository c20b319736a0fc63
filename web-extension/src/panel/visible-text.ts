/**
 * Makes characters visible that a reader cannot see but that change what is read.
 *
 * Page titles, prompts and model output may hold direction overrides and invisible tag characters. They are shown as
 * their code point, so that text can neither be reversed nor carry a hidden message.
 */

/** Direction controls (RLO and friends), Arabic letter mark, and the invisible tag block. */
const HIDDEN = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

/** The text with every hidden control replaced by a visible name such as `[U+202E]`. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (character) => `[${codePointName(character)}]`);
}

function codePointName(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
