import { describe, expect, it } from "vitest";
import { choiceArgument, flagArgument, numberArgument, requiredText, textArgument, textsArgument } from "./arguments";

describe("arguments", () => {
  it("are read with defaults, and well formed", () => {
    const args = { text: "a\ud800", number: 9, on: true, list: ["x", "\ud800"], way: "up" };
    expect(textArgument(args, "text")).toBe("a\ufffd");
    expect(textArgument(args, "none")).toBeUndefined();
    expect([numberArgument(args, "number", 3), numberArgument(args, "none", 3)]).toEqual([9, 3]);
    expect([flagArgument(args, "on"), flagArgument(args, "none")]).toEqual([true, false]);
    expect([textsArgument(args, "list"), textsArgument(args, "none")]).toEqual([["x", "\ufffd"], []]);
    expect([choiceArgument(args, "way", ["up", "down"]), choiceArgument(args, "way", ["left"])]).toEqual([
      "up",
      undefined,
    ]);
    expect(() => requiredText(args, "none")).toThrowError(expect.objectContaining({ code: "bad-arguments" }));
  });
});
