import { describe, expect, it } from "vitest";
import { choiceArgument, flagArgument, numberArgument, requiredText, textArgument, textsArgument } from "./arguments";

const RULE = { min: 1, max: 10, otherwise: 3 };

describe("arguments", () => {
  it("are read with bounds and defaults", () => {
    const args = { text: "a\ud800", number: 99, on: true, list: ["x"], way: "up" };
    expect(textArgument(args, "text")).toBe("a\ufffd");
    expect(textArgument(args, "none")).toBeUndefined();
    expect(numberArgument(args, "number", RULE)).toBe(10);
    expect(numberArgument(args, "none", RULE)).toBe(3);
    expect([flagArgument(args, "on"), flagArgument(args, "none")]).toEqual([true, false]);
    expect(textsArgument(args, "list")).toEqual(["x"]);
    expect(textsArgument({ list: "x" }, "list")).toEqual(["x"]);
    expect(choiceArgument(args, "way", ["up", "down"])).toBe("up");
  });

  it.each([
    ["a text that is a number", () => textArgument({ a: 1 }, "a")],
    ["an endless text", () => textArgument({ a: "x".repeat(11) }, "a", 10)],
    ["a missing text", () => requiredText({}, "a")],
    ["a number that is none", () => numberArgument({ a: Number.NaN }, "a", RULE)],
    ["a flag that is a text", () => flagArgument({ a: "yes" }, "a")],
    ["an empty list", () => textsArgument({ a: [] }, "a")],
    ["a list with other things", () => textsArgument({ a: ["x", {}] }, "a")],
    ["a word that is no choice", () => choiceArgument({ a: "sideways" }, "a", ["up"])],
  ])("refuse %s", (_, read) => {
    expect(read).toThrowError(expect.objectContaining({ code: "bad-arguments" }));
  });
});
