import { describe, expect, it } from "vitest";
import { markedLines, plainLine } from "./plain-line";
import { prettyInput, shortened } from "./tool-text";

describe("a text of a page on a line of ours", () => {
  it.each([
    ["stays as it is when it is harmless", "Edit – ünïcode 日本 👩‍👩‍👧", "Edit – ünïcode 日本 👩‍👩‍👧"],
    ["cannot break the line", "Cancel\n\r\n\u2028\u2029\u0085\tAllowed", "Cancel Allowed"],
    ["cannot turn the sentence around", "a\u202eb\u2066c\u200fd", "a[U+202E]b[U+2066]c[U+200F]d"],
    ["cannot hide letters", "De\u200bl\u00adete\ufeff \u2060all", "Delete all"],
    ["cannot carry hidden tags", "ok\u{e0041}", "ok[U+E0041]"],
    ["cannot hold controls", "a\u0000b\u001bc\u007f", "a b c"],
    ["cannot pile up marks", `e${"\u0301".repeat(50)}`, "e\u0301\u0301\u0301\u0301"],
    ["is well formed", "a\ud800", "a\ufffd"],
    ["may be nothing", " \n ", ""],
  ])("%s", (_name, text, line) => expect(plainLine(text, 100)).toBe(line));

  it("is cut between letters, and says so", () => {
    expect(plainLine("👍".repeat(5), 3)).toBe("👍👍👍…");
    expect(plainLine("one two", 4)).toBe("one…");
    expect(plainLine("four", 4)).toBe("four");
  });

  it("shows where the lines of a value broke", () => {
    expect(markedLines("a\r\nb\nc\rd", 100)).toBe("a ↵ b ↵ c ↵ d");
  });
});

describe("the input of a tool", () => {
  it("is indented when it is JSON", () => {
    expect(prettyInput('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(prettyInput("not json")).toBe("not json");
  });

  it("is bounded, before and after", () => {
    const long = `{"a":"${"x".repeat(10_000)}"}`;
    expect(prettyInput(long)).toBe(long);
    expect(shortened(long)).toHaveLength(6000);
  });
});
