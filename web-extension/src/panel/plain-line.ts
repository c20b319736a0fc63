/**
 * Text of a page or a model made fit for one line of ours: it can neither break the line nor hide, turn or pile up
 * characters, so a sentence around it still reads as it was written. Pure.
 */
import { visibleText } from "./visible-text";

/** Letters without width that only serve to hide or to tell apart what looks alike. */
const WIDTHLESS = /[\u00ad\u200b\u2060\ufeff]/g;

/** No language stacks more marks than this on one letter. */
const PILED = /(\p{M}{4})\p{M}+/gu;

/** The text on one line, of at most `max` characters. */
export function plainLine(text: string, max: number): string {
  const flat = text
    .toWellFormed()
    .replaceAll(WIDTHLESS, "")
    .replaceAll(PILED, "$1")
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  const letters = [...flat];
  return visibleText(letters.length > max ? `${letters.slice(0, max).join("").trimEnd()}…` : flat);
}

/** A longer text as a person checks it: on one line, but with its line breaks marked. */
export function markedLines(text: string, max: number): string {
  return plainLine(text.replaceAll(/\r\n?|[\n\u2028\u2029]/g, " ↵ "), max);
}
