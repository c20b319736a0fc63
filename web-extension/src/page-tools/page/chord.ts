/** Reads a key or a chord as a person writes it: "Enter", "a", "Control+Shift+K". */
import { MODIFIERS } from "../frame-arguments";
import { ToolFault } from "./fault";
import type { Modifier } from "./pointer";

/** A key with the modifiers held. */
export interface Chord {
  /** As in `KeyboardEvent.key`. */
  key: string;
  modifiers: readonly Modifier[];
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["ctrl", "Control"],
  ["cmd", "Meta"],
  ["command", "Meta"],
  ["option", "Alt"],
  ["return", "Enter"],
  ["esc", "Escape"],
  ["space", " "],
  ["spacebar", " "],
  ["del", "Delete"],
  ["up", "ArrowUp"],
  ["down", "ArrowDown"],
  ["left", "ArrowLeft"],
  ["right", "ArrowRight"],
]);

const NAMED =
  "Enter Tab Escape Backspace Delete Insert Home End PageUp PageDown ArrowUp ArrowDown ArrowLeft ArrowRight F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12".split(
    " ",
  );

/** Key codes that old pages still look at. */
const KEY_CODES: ReadonlyMap<string, number> = new Map([
  ["Backspace", 8],
  ["Tab", 9],
  ["Enter", 13],
  ["Escape", 27],
  [" ", 32],
  ["PageUp", 33],
  ["PageDown", 34],
  ["End", 35],
  ["Home", 36],
  ["ArrowLeft", 37],
  ["ArrowUp", 38],
  ["ArrowRight", 39],
  ["ArrowDown", 40],
  ["Insert", 45],
  ["Delete", 46],
]);

/** Reads a chord. */
export function chordOf(text: string): Chord {
  // A plus sign is a key too: "+", "Control++".
  const parts = text === "+" ? ["+"] : text.replace(/\+\+$/, "+plus").split("+");
  const names = parts.map((part) => (part === "plus" ? "+" : canonical(part)));
  const key = names.pop() ?? "";
  const modifiers = names.map((name) => MODIFIERS.find((modifier) => modifier === name));
  const unknown = modifiers.includes(undefined) || !isKey(key);
  if (unknown) throw new ToolFault("bad-arguments", `"${text.slice(0, 40)}" is no key; write Enter, a or Control+A`);
  const held = modifiers.filter((modifier) => modifier !== undefined);
  const plain = held.every((modifier) => modifier === "Shift");
  const cased = key.length === 1 && held.includes("Shift") && plain ? key.toUpperCase() : key;
  return { key: key.length === 1 && !plain && !held.includes("Shift") ? key.toLowerCase() : cased, modifiers: held };
}

function canonical(part: string): string {
  if (part === " " || [...part].length === 1) return part;
  const word = part.trim();
  const alias = ALIASES.get(word.toLowerCase());
  return alias ?? [...NAMED, ...MODIFIERS].find((name) => name.toLowerCase() === word.toLowerCase()) ?? word;
}

function isKey(key: string): boolean {
  return [...key].length === 1 || NAMED.includes(key);
}

/** Whether a chord types a character. */
export function isPrintable({ key, modifiers }: Chord): boolean {
  return [...key].length === 1 && modifiers.every((modifier) => modifier === "Shift");
}

/** `KeyboardEvent.code` of a key on a common keyboard. */
export function codeOf(key: string): string {
  if (/^[a-z]$/i.test(key)) return `Key${key.toUpperCase()}`;
  if (/^[0-9]$/.test(key)) return `Digit${key}`;
  return key === " " ? "Space" : key.length > 1 ? key : "";
}

/** The code of a key as old pages read it; 0 where there is none. */
export function keyCodeOf(key: string): number {
  const known = KEY_CODES.get(key);
  if (known !== undefined) return known;
  if (/^[a-z0-9]$/i.test(key)) return key.toUpperCase().charCodeAt(0);
  const numbered = /^F(\d+)$/.exec(key)?.[1];
  return numbered === undefined ? 0 : 111 + Number(numbered);
}
