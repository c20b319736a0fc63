import { describe, expect, it } from "vitest";
import { foundOf, isStopPressed, isToolMessage, targetReply, textPart, toolReply } from "./messages";

describe("what a content script takes", () => {
  const ask = { kind: "sidewire-tool", call: "c1", tool: "page_click", arguments: {} };

  it.each([
    ["a tool", ask],
    ["a target", { ...ask, kind: "sidewire-tool-target", prefix: "f12" }],
    ["an end", { kind: "sidewire-tool-end", call: "c1" }],
    ["a badge", { kind: "sidewire-tool-badge", call: "c1", text: "", stop: "Stop" }],
    ["a clear", { kind: "sidewire-tool-clear" }],
  ])("%s", (_, message) => expect(isToolMessage(message)).toBe(true));

  it.each([
    ["nothing", null],
    ["a list", [ask]],
    ["another kind", { ...ask, kind: "sidewire-capture" }],
    ["no call", { ...ask, call: "" }],
    ["an endless call id", { ...ask, call: "c".repeat(201) }],
    ["arguments that are a list", { ...ask, arguments: [] }],
    ["a prefix that is a text", { ...ask, prefix: "<b>" }],
  ])("not %s", (_, message) => expect(isToolMessage(message)).toBe(false));
});

describe("what the service worker takes from a renderer", () => {
  it("rebuilds answers from known members", () => {
    const answer = { ok: true, text: "done", extra: 1, data: { text: "part", offset: 3, total: 9, more: "x" } };
    expect(toolReply(answer)).toEqual({ ok: true, text: "done", data: { text: "part", offset: 3, total: 9 } });
    expect(toolReply({ ok: false, code: "occluded", detail: "a veil", stack: "at x" })).toEqual({
      ok: false,
      code: "occluded",
      detail: "a veil",
    });
  });

  it.each([
    ["no answer", undefined],
    ["no text", { ok: true }],
    ["a code of its own", { ok: false, code: "consent-granted" }],
    ["an error that is neither", { code: "failed" }],
  ])("nothing of %s", (_, answer) => expect(toolReply(answer)).toBeNull());

  it("bounds texts and candidates, and drops references of another form", () => {
    const reply = toolReply({ ok: true, text: "x".repeat(100_000) });
    expect(reply?.ok === true && reply.text.length).toBe(64 * 1024);
    const candidates = Array.from({ length: 60 }, (_, n) => ({
      ref: `f3kq${n}`,
      role: "button",
      name: "n".repeat(900),
    }));
    const found = foundOf({ candidates: [{ ref: "kq1;e2", role: "", name: "" }, ...candidates], total: -4 });
    expect(found?.candidates).toHaveLength(49);
    expect(found?.candidates[0]?.name).toHaveLength(400);
    expect(found?.total).toBe(49);
    expect(textPart({ text: 1 })).toBeNull();
  });

  it("takes a field for secret unless it is said not to be", () => {
    expect(targetReply({ ok: true, role: "textbox", name: "Port" })).toMatchObject({ secret: true });
    expect(targetReply({ ok: true, role: "textbox", name: "Port", secret: false })).toMatchObject({ secret: false });
    expect(targetReply({ ok: true, role: "textbox" })).toBeNull();
  });

  it("knows the press of Stop", () => {
    expect(isStopPressed({ kind: "sidewire-stop", call: "c1" })).toBe(true);
    expect(isStopPressed({ kind: "sidewire-stop" })).toBe(false);
  });
});
