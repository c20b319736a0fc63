import { describe, expect, it } from "vitest";
import { chordOf, codeOf, isPrintable, keyCodeOf } from "./chord";

describe("chords", () => {
  it.each([
    ["Enter", "Enter", []],
    ["enter", "Enter", []],
    ["Esc", "Escape", []],
    ["Space", " ", []],
    ["a", "a", []],
    ["A", "A", []],
    ["ß", "ß", []],
    ["+", "+", []],
    ["Control+A", "a", ["Control"]],
    ["ctrl+shift+k", "K", ["Control", "Shift"]],
    ["Shift+a", "A", ["Shift"]],
    ["Shift+Tab", "Tab", ["Shift"]],
    ["Control++", "+", ["Control"]],
    ["F5", "F5", []],
  ])("%s", (text, key, modifiers) => {
    const chord = chordOf(text);
    expect(chord.key.toLowerCase()).toBe(key.toLowerCase());
    expect(chord.modifiers).toEqual(modifiers);
    if (modifiers.length === 0) expect(chord.key).toBe(key);
  });

  it.each(["", "Hyper+a", "ab", "Control", "Control+", "a+Control"])("not %j", (text) => {
    expect(() => chordOf(text)).toThrowError(expect.objectContaining({ code: "bad-arguments" }));
  });

  it("types only what makes a character", () => {
    expect(isPrintable(chordOf("a"))).toBe(true);
    expect(isPrintable(chordOf("Shift+a"))).toBe(true);
    expect(isPrintable(chordOf("Control+a"))).toBe(false);
    expect(isPrintable(chordOf("Enter"))).toBe(false);
  });

  it("gives digits and letters the codes of a keyboard (digits were once Key1)", () => {
    expect([codeOf("1"), codeOf("q"), codeOf(" "), codeOf("Enter"), codeOf("é")]).toEqual([
      "Digit1",
      "KeyQ",
      "Space",
      "Enter",
      "",
    ]);
    expect([keyCodeOf("a"), keyCodeOf("7"), keyCodeOf("F2"), keyCodeOf("Enter")]).toEqual([65, 55, 113, 13]);
  });
});
