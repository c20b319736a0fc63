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
