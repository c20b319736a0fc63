import { expect, it } from "vitest";
import type { TurnView } from "../bridge/panel-port";
import { rowsOf } from "./rows";

const base: TurnView = {
  id: "c-1",
  prompt: "What?",
  mode: "educational",
  startedAt: 0,
  state: "done",
  text: "Answer",
  tools: [],
  references: [],
  media: [],
  notices: [],
};

const kinds = (changes: Partial<TurnView>) => rowsOf({ ...base, ...changes }).map((row) => row.kind);

it("a failed turn offers its error after tools and text", () => {
  const tools: TurnView["tools"] = [{ callId: "t", tool: "x", phase: "finished", ok: true }];
  expect(kinds({ state: "failed", reason: "no-worker", tools })).toEqual([
    "prompt",
    "tool",
    "answer",
    "error",
    "actions",
  ]);
});

it("a failure without a reason is a failure still", () => {
  expect(rowsOf({ ...base, state: "failed", text: "" })).toContainEqual({ kind: "error", reason: "unknown" });
});

it("a running turn waits, and says it is being tried again only then", () => {
  expect(kinds({ state: "running", text: "", notices: ["retrying"] })).toEqual(["prompt", "waiting", "notice"]);
  expect(kinds({ notices: ["retrying"] })).toEqual(["prompt", "answer", "actions"]);
});

it("a stop shows at once and keeps the text", () => {
  expect(kinds({ state: "running", stopping: true })).toEqual(["prompt", "answer", "stopped", "actions"]);
  expect(kinds({ state: "stopped" })).toEqual(["prompt", "answer", "stopped", "actions"]);
});

it("a clipped answer is said once", () => {
  expect(kinds({ clipped: true, notices: ["answer-clipped"] }).filter((kind) => kind === "notice")).toHaveLength(1);
});

const media = {
  version: 1,
  id: `media_${"a".repeat(24)}`,
  kind: "text-timeline",
  timeline: [{ text: "x", durationMs: 1 }],
  provenance: { sourceType: "tool", source: "display_media" },
  playback: { autoplay: false, loop: false, muted: true, fpsCap: 12 },
};

it("media stands after the tools and before the answer", () => {
  const tools: TurnView["tools"] = [{ callId: "t", tool: "x", phase: "finished", ok: true }];
  expect(kinds({ tools, media: [media] })).toEqual(["prompt", "tool", "media", "answer", "actions"]);
});

it("media that does not fit the contract is not shown", () => {
  expect(kinds({ media: [{ ...media, kind: "html" }, {}] })).toEqual(["prompt", "answer", "actions"]);
});

it("media that comes again keeps its place and takes the newer words", () => {
  const other = { ...media, id: `media_${"b".repeat(24)}` };
  const rows = rowsOf({ ...base, media: [media, other, { ...media, caption: "newer" }] });
  const shown = rows.flatMap((row) => (row.kind === "media" ? [[row.media.id, row.media.caption]] : []));
  expect(shown).toEqual([
    [media.id, "newer"],
    [other.id, undefined],
  ]);
});

it("a call without an end runs only while its turn does", () => {
  const tools: TurnView["tools"] = [{ callId: "t", tool: "x", phase: "progress", output: "1 of 2" }];
  const live = (changes: Partial<TurnView>) =>
    rowsOf({ ...base, ...changes, tools }).flatMap((row) => (row.kind === "tool" ? [row.live] : []));
  expect(live({ state: "running" })).toEqual([true]);
  expect(live({ state: "running", stopping: true })).toEqual([false]);
  expect(live({ state: "stopped" })).toEqual([false]);
});
