import { describe, expect, it } from "vitest";
import { DEFAULTS, FRAME_ARGUMENTS } from "./frame-arguments";
import { FRAME_TOOLS } from "./messages";
import { faultOf } from "./schema";
import { PAGE_TOOLS } from "./tools";

describe("the arguments of a frame's tools", () => {
  it.each(FRAME_TOOLS)("%s are declared to the worker as the frame takes them", (name) => {
    expect(PAGE_TOOLS.find((tool) => tool.name === name)?.parameters).toBe(FRAME_ARGUMENTS[name]);
  });

  it.each([
    ["page_snapshot", { bytes: DEFAULTS.bytes }],
    ["page_text", { limit: DEFAULTS.limit, offset: 0 }],
    ["page_text", { limit: 1 }],
    ["page_find", { text: "😀".repeat(300), limit: DEFAULTS.found }],
    ["wait_for", { timeoutMs: DEFAULTS.timeoutMs, state: "gone" }],
    ["page_scroll", { amount: DEFAULTS.amount, direction: "up", edge: "right" }],
    ["highlight", { seconds: DEFAULTS.highlighted }],
    ["annotate", { text: "x", seconds: DEFAULTS.annotated }],
    ["page_click", { modifiers: ["Alt", "Shift"] }],
  ] as const)("%s takes %j", (name, args) => {
    expect(faultOf(FRAME_ARGUMENTS[name], args)).toBeNull();
  });

  it.each([
    ["page_find", { ref: "kq1" }],
    ["page_text", { limit: 0 }],
    ["page_text", { limit: 20_001 }],
    ["wait_for", { state: "seen" }],
    ["page_click", { modifiers: ["Hyper"] }],
    ["page_fill", {}],
    ["page_select", { options: [] }],
    ["page_press", { key: "" }],
    ["annotate", { seconds: 5 }],
  ] as const)("%s does not take %j", (name, args) => {
    expect(faultOf(FRAME_ARGUMENTS[name], args)).not.toBeNull();
  });
});
