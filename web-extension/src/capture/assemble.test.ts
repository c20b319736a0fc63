import { describe, expect, it } from "vitest";
import { assemble, SNAPSHOT_BYTES } from "./assemble";
import type { Merged } from "./merge";
import { mergeFrames } from "./merge";
import type { FrameReply, PageResponse } from "./messages";
import { frameReply } from "./messages";
import { jsonBytes } from "./text";
import type { AxNode } from "./tree";

const page = (nodes: AxNode[], parents?: number[]): FrameReply => ({
  kind: "sidewire-frame",
  token: "t",
  path: [],
  url: "https://a.example/",
  title: "",
  viewer: false,
  tree: {
    nodes: [{ role: "WebArea", name: "T" }, ...nodes],
    parents: [-1, ...(parents ?? nodes.map(() => 0))],
    weights: [9, ...nodes.map(() => 1)],
  },
  frames: [],
  seen: nodes.length + 1,
  cut: false,
  api: null,
});

const made = (merged: Merged, api: PageResponse | null = null, url = "https://a.example/p?q=1#h", title = "T") =>
  assemble({ tabId: 7, url, title, merged, api, capturedAt: 5 });

const texts = (count: number, size: number): AxNode[] =>
  Array.from({ length: count }, (_, index) => ({ role: "text", name: `${index}é`.padEnd(size, "ü") }));
const response = (body: unknown): PageResponse => ({
  url: "/api/x",
  status: 200,
  resourceType: null,
  body,
  truncated: false,
});

describe("assemble", () => {
  it("has exactly the fields of the contract, without query and fragment", () => {
    const { snapshot, report, selection } = made(mergeFrames(page([{ role: "button", name: "Edit", ref: "e1" }]), []));
    expect(snapshot).toEqual({
      v: 1,
      capturedAt: 5,
      tabId: 7,
      url: "https://a.example/p",
      path: "/p",
      title: "T",
      ax: { role: "WebArea", name: "T", children: [{ role: "button", name: "Edit", ref: "e1" }] },
      api: null,
      truncated: false,
    });
    expect(Object.keys(snapshot)).toEqual([
      "v",
      "capturedAt",
      "tabId",
      "url",
      "path",
      "title",
      "ax",
      "api",
      "truncated",
    ]);
    expect(report).toMatchObject({
      budget: SNAPSHOT_BYTES,
      nodesSeen: 2,
      nodesSent: 2,
      frames: 1,
      framesUnreadable: 0,
    });
    expect(report.bytes).toBe(jsonBytes(snapshot));
    expect(selection).toBe(false);
  });

  it.each([
    ["a large tree", texts(3000, 50), { small: 1 }],
    ["a large body", texts(3, 20), { list: texts(3000, 50) }],
    ["both large", texts(3000, 50), { list: texts(3000, 50) }],
    ["long texts", texts(60, 4000), { text: "ü".repeat(200_000) }],
  ])("fits the budget in bytes: %s", (_, nodes, body) => {
    const { snapshot, report } = made(
      mergeFrames(page(nodes), []),
      response(body),
      `https://a.example/${"x".repeat(9000)}`,
      "é".repeat(70_000),
    );
    expect(report.bytes).toBeLessThanOrEqual(SNAPSHOT_BYTES);
    expect(report.bytes).toBeGreaterThan(SNAPSHOT_BYTES * 0.6);
    expect(snapshot.truncated).toBe(true);
    expect(snapshot.title.length).toBeLessThanOrEqual(300);
  });

  it("gives what one part leaves to the other", () => {
    const small = made(mergeFrames(page(texts(3000, 50)), []), response({ kept: "whole" }));
    expect(small.snapshot.api).toMatchObject({ body: { kept: "whole" }, truncated: false });
    expect(small.report.nodesSent).toBeGreaterThan(400);
    const large = made(mergeFrames(page(texts(5, 20)), []), response({ list: texts(3000, 50) }));
    expect(large.report.nodesSent).toBe(6);
    expect(jsonBytes(large.snapshot.api?.body)).toBeGreaterThan(SNAPSHOT_BYTES * 0.6);
  });

  it("redacts what a frame did not, and points at it", () => {
    const { snapshot, report } = made(
      mergeFrames(
        page([
          { role: "text", name: "token=abc123xyz" },
          { role: "link", name: "x", url: "/a?secret=canary" },
        ]),
        [],
      ),
      response({ apiKey: "canary" }),
      "https://a.example/reset/token/9f8e7d6c5b4a3921",
    );
    expect(JSON.stringify(snapshot)).not.toMatch(/canary|abc123xyz|9f8e7d/);
    expect(report.redacted).toEqual(["/url", "/path", "/ax/children/0/name", "/ax/children/1/url", "/api/body/apiKey"]);
  });
});

describe("mergeFrames", () => {
  const child = (path: number[], url: string, name: string): FrameReply => ({
    ...page([{ role: "button", name, ref: "e1" }]),
    path,
    url,
  });

  it("puts each frame under its element, nested ones too, and counts the others", () => {
    const main = {
      ...page([{ role: "iframe" }, { role: "iframe", name: "B" }, { role: "iframe" }]),
      frames: [
        { node: 1, position: 0, url: "https://b.example/" },
        { node: 2, position: 1, url: "about:blank" },
        { node: 3, position: 2, url: "https://dead.example/" },
      ],
    };
    const inner = child([1, 0], "https://c.example/", "C");
    const outer: FrameReply = {
      ...page([{ role: "iframe" }]),
      path: [1],
      frames: [{ node: 1, position: 0, url: "x" }],
    };
    const merged = mergeFrames(main, [
      { frameId: 4, reply: inner },
      { frameId: 3, reply: outer },
      { frameId: 2, reply: child([0], "https://b.example/", "A") },
      { frameId: 9, reply: child([7], "https://stray.example/", "stray") },
    ]);
    expect(merged).toMatchObject({ frames: 4, unreadable: 1 });
    expect(made(merged).snapshot.ax).toEqual({
      role: "WebArea",
      name: "T",
      children: [
        { role: "iframe", name: "T", children: [{ role: "button", name: "A", ref: "f2e1" }] },
        {
          role: "iframe",
          name: "B",
          children: [{ role: "iframe", name: "T", children: [{ role: "button", name: "C", ref: "f4e1" }] }],
        },
        { role: "iframe" },
      ],
    });
  });

  it("matches frames inside shadow roots by their address", () => {
    const main = {
      ...page([
        { role: "iframe", name: "1" },
        { role: "iframe", name: "2" },
      ]),
      frames: [
        { node: 1, position: -1, url: "https://b.example/" },
        { node: 2, position: -1, url: "https://c.example/" },
      ],
    };
    const merged = mergeFrames(main, [
      { frameId: 2, reply: child([-1], "https://c.example/", "C") },
      { frameId: 3, reply: child([-1], "https://b.example/", "B") },
    ]);
    expect(merged.tree.nodes.slice(3).map((node) => `${node.name} ${node.ref}`)).toEqual(["B f3e1", "C f2e1"]);
  });
});

it("S27: a frame inside a shadow root whose address nobody asked for goes nowhere", () => {
  const main = { ...page([{ role: "iframe" }]), frames: [{ node: 1, position: -1, url: "https://b.example/" }] };
  const stray = { ...page([{ role: "button", name: "Pay" }]), path: [-1], url: "https://evil.example/" };
  expect(mergeFrames(main, [{ frameId: 2, reply: stray }])).toMatchObject({ frames: 1, unreadable: 1 });
});

describe("frameReply", () => {
  it("rebuilds nodes from known members only", () => {
    const reply: unknown = JSON.parse(
      JSON.stringify(page([{ role: "button", name: "x" }])).replace(
        '"name":"x"',
        '"name":"x","evil":{"a":1},"level":-1,"__proto__":{"b":1}',
      ),
    );
    expect(frameReply(reply, "t")?.tree.nodes[1]).toEqual({ role: "button", name: "x" });
  });

  it.each([
    ["another token", { token: "other" }],
    ["no tree", { tree: null }],
    ["a cycle of parents", { tree: { nodes: [{ role: "a" }, { role: "b" }], parents: [-1, 1], weights: [0, 0] } }],
    ["a second root", { tree: { nodes: [{ role: "a" }, { role: "b" }], parents: [-1, -1], weights: [0, 0] } }],
    ["no role", { tree: { nodes: [{}], parents: [-1], weights: [0] } }],
    ["a bad path", { path: ["0"] }],
  ])("refuses %s", (_, change) => expect(frameReply({ ...page([]), ...change }, "t")).toBeNull());
});
