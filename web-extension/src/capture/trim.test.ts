import { describe, expect, it } from "vitest";
import { clip, jsonBytes, tidy } from "./text";
import type { AxNode, FlatTree } from "./tree";
import { cappedParents, MAX_DEPTH, nest } from "./tree";
import { trim } from "./trim";

function wide(count: number): FlatTree {
  const nodes: AxNode[] = [{ role: "WebArea", name: "página" }];
  const tree: FlatTree = { nodes, parents: [-1], weights: [0] };
  for (let index = 1; index <= count; index += 1) {
    nodes.push(index % 5 === 1 ? { role: "row" } : { role: "cell", name: `célula ${index}` });
    tree.parents.push(index % 5 === 1 ? 0 : index - ((index - 1) % 5));
    tree.weights.push(index % 7);
  }
  return tree;
}

const depthOf = (root: AxNode): number => {
  let deepest = 0;
  const open: [AxNode, number][] = [[root, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    deepest = Math.max(deepest, next[1]);
    for (const child of next[0].children ?? []) open.push([child, next[1] + 1]);
  }
  return deepest;
};

describe("trim", () => {
  it("never goes over the budget, in bytes, and says what it cut", () => {
    const tree = wide(2000);
    for (const budget of [60_000, 20_000, 5000, 500, 120]) {
      const { tree: slim, cut } = trim(tree, budget);
      expect(cut).toBe(true);
      const root = nest(slim);
      expect(jsonBytes(root)).toBeLessThanOrEqual(budget);
      expect(JSON.stringify(root)).toMatch(/"omitted":[1-9]/);
    }
    expect(trim(tree, 1_000_000).cut).toBe(false);
  });

  it("keeps the important leaf with its ancestors before the near ones", () => {
    const tree: FlatTree = {
      nodes: [
        { role: "WebArea" },
        { role: "text", name: "x".repeat(100) },
        { role: "region" },
        { role: "group" },
        { role: "button", name: "Save" },
      ],
      parents: [-1, 0, 0, 2, 3],
      weights: [0, 5, 0, 0, 50],
    };
    const root = nest(trim(tree, 240).tree);
    expect(JSON.stringify(root)).toContain("Save");
    expect(root.omitted).toBe(1);
  });
});

it("promotes what lies too deep instead of losing it", () => {
  const nodes: AxNode[] = Array.from({ length: 10_000 }, (_, index) => ({ role: "group", name: `g${index}` }));
  const parents = cappedParents(nodes.map((_, index) => index - 1));
  const root = nest({ nodes, parents, weights: [] });
  expect(depthOf(root)).toBe(MAX_DEPTH);
  expect(JSON.stringify(root)).toContain("g9999");
});

describe("text", () => {
  it("clips without splitting a pair and replaces lone surrogates", () => {
    expect(clip("ab😀cd", 4)).toBe("ab…");
    expect(clip("\ud83d", 4)).toBe("\ufffd");
    expect(clip("abcd", 4)).toBe("abcd");
  });
  it("tidies white space, icon glyphs and zero-width marks", () => {
    expect(tidy("  a\n\t b\u200b \ue8b6 ")).toBe("a b");
  });
});
