import { describe, expect, it } from "vitest";
import { isPrefix, parseRef, prefixOf } from "./refs";

describe("a reference", () => {
  it.each([
    ["kq12", { frameId: 0, local: "kq12" }],
    [" kq12 ", { frameId: 0, local: "kq12" }],
    ["f3kq12", { frameId: 3, local: "kq12" }],
    // Firefox numbers frames of a second process from 2 to the power of 32 on.
    ["f9007199254740991kq1", { frameId: Number.MAX_SAFE_INTEGER, local: "kq1" }],
    // Letters of a document that look like the prefix of a frame.
    ["fa1", { frameId: 0, local: "fa1" }],
    ["f1ff2", { frameId: 1, local: "ff2" }],
  ])("%j is taken apart", (ref, parts) => expect(parseRef(ref)).toEqual(parts));

  it.each(["e12", "kq", "KQ1", "f3", "f3e1", "kq1;kq2", "kqx1", "f12345678901234567kq1", ""])("%j is none", (ref) =>
    expect(parseRef(ref)).toBeNull(),
  );

  it("is prefixed in frames below the main one", () => {
    expect([prefixOf(0), prefixOf(3)]).toEqual([undefined, "f3"]);
    expect([isPrefix("f3"), isPrefix("f"), isPrefix("fx3")]).toEqual([true, false, false]);
  });
});
