import { describe, expect, it, vi } from "vitest";
import catalogue from "../../public/_locales/en/messages.json";
import { isHostToolResult, isSetHostTools } from "../contract/validators.generated";
import { CONVERSATION, done, PAGE, stage, TAB, TURN, target, useStage } from "./testing/stage";

useStage();

/** A frame that never answers. */
const never = (): Promise<never> => new Promise(() => undefined);

describe("registration", () => {
  it("offers all tools once there is a connection, in the contract's form", () => {
    stage.tools.linkReady();
    const [frame] = stage.sent;
    expect(isSetHostTools(frame)).toBe(true);
    const tools: { name: string; parameters: Record<string, unknown>; description: string }[] = Object(frame).tools;
    expect(tools.map(({ name }) => name)).toEqual([
      "page_snapshot",
      "page_text",
      "page_find",
      "page_screenshot",
      "page_api",
      "wait_for",
      "page_click",
      "page_fill",
      "page_select",
      "page_press",
      "page_scroll",
      "page_navigate",
      "highlight",
      "annotate",
    ]);
    for (const { parameters, description } of tools) {
      expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
      expect(description.length).toBeGreaterThan(20);
    }
  });

  it("names each tool by the catalogue, in the person's language", () => {
    stage.tools.linkReady();
    const tools: { name: string; label: string }[] = Object(stage.sent[0]).tools;
    expect(tools.filter(({ label }) => !(label in catalogue))).toEqual([]);
    expect(tools.find(({ name }) => name === "wait_for")?.label).toBe("toolWaitFor");
  });
});

describe("a call", () => {
  it("gets exactly one answer, in the contract's form", async () => {
    const id = stage.call("page_text", { ref: "kq1" });
    expect(await stage.result(id)).toBe("done");
    stage.tools.frame({ type: "host_tool_cancel", id: "x", targetId: id });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stage.results(id)).toHaveLength(1);
    expect(isHostToolResult(stage.results(id)[0])).toBe(true);
  });

  it("says in every frame when it is about a secret field, and only then", async () => {
    const frames = (id: string) =>
      stage.sent.flatMap((frame) => {
        if (!("id" in frame) || frame.id !== id) return [];
        if (frame.type === "host_tool_update") return [frame.partialResult.details];
        return frame.type === "host_tool_result" ? [frame.result.details] : [];
      });
    for (const secret of [true, false]) {
      stage.answer = (_frame, { kind }) => (kind === "sidewire-tool-target" ? target("PIN", { secret }) : done());
      const id = stage.call("page_fill", { ref: "kq3", value: "1234" });
      stage.tools.consents.answer("key", (await stage.card()).id, "once");
      await stage.result(id);
      const details = secret ? { secretInput: true } : undefined;
      expect(frames(id)).toEqual([details, details, details]);
    }
  });

  it("that comes twice is answered once", async () => {
    stage.answer = never;
    const id = stage.call("page_text", { ref: "kq1" });
    const again = { type: "host_tool_call", id, toolCallId: "t", toolName: "page_text", arguments: {} } as const;
    stage.tools.frame(again);
    await vi.advanceTimersByTimeAsync(16_000);
    expect(stage.results(id)).toHaveLength(1);
  });

  it("of an unknown tool is said to be one", async () => {
    expect(await stage.run("tabs_close")).toBe("! Unknown host tool: tabs_close");
    expect(await stage.run("toString")).toBe("! Unknown host tool: toString");
  });

  it("decision 12: without its scope, or with the scope of something else, is refused", async () => {
    const foreign = [
      null,
      { chatId: "c-2" },
      { tabId: 8 },
      { conversation: "22222222-2222-4333-8444-555555555555" },
      { callId: "another" },
    ];
    for (const scope of foreign)
      expect(await stage.result(stage.call("page_text", {}, scope))).toMatch(/^! unscoped: /);
    expect(stage.asked).toEqual([]);
  });

  it("uses its scope up", async () => {
    const id = stage.call("page_text", { ref: "kq1" });
    await stage.result(id);
    stage.tools.frame({
      type: "host_tool_call",
      id,
      toolCallId: "t",
      toolName: "page_text",
      arguments: { ref: "kq1" },
    });
    await vi.waitFor(() => expect(stage.results(id)).toHaveLength(2));
    expect(stage.results(id)[1]).toMatchObject({ isError: true });
  });

  it("scopes without a call do not pile up", async () => {
    const scope = { type: "host_tool_scope", chatId: TURN, conversation: CONVERSATION, tabId: TAB } as const;
    for (let count = 0; count < 65; count += 1) stage.tools.frame({ ...scope, callId: `s-${count}` });
    const call = { type: "host_tool_call", toolCallId: "t", toolName: "page_text", arguments: { ref: "kq1" } } as const;
    stage.tools.frame({ ...call, id: "s-0" });
    stage.tools.frame({ ...call, id: "s-64" });
    expect(await stage.result("s-0")).toMatch(/^! unscoped/);
    expect(await stage.result("s-64")).toBe("done");
  });

  it("is one of eight at once", async () => {
    stage.answer = never;
    const ids = Array.from({ length: 9 }, () => stage.call("page_text", { ref: "kq1" }));
    expect(await stage.result(ids[8] ?? "")).toMatch(/^! busy: /);
    expect(ids.slice(0, 8).flatMap((id) => stage.results(id))).toEqual([]);
  });

  it("N20: ends by itself when the page never answers", async () => {
    stage.answer = never;
    const id = stage.call("page_text", { ref: "kq1" });
    await vi.advanceTimersByTimeAsync(14_900);
    expect(stage.results(id)).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(await stage.result(id)).toMatch(/^! timeout: /);
    expect(stage.told.at(-1)).toMatchObject({ kind: "sidewire-tool-end", call: stage.asked[0]?.call });
  });

  it("N20: that is cancelled stops in the page and is not answered", async () => {
    stage.answer = never;
    const id = stage.call("page_text", { ref: "kq1" });
    await vi.waitFor(() => expect(stage.asked).toHaveLength(1));
    stage.tools.frame({ type: "host_tool_cancel", id: "x", targetId: id });
    await vi.waitFor(() => expect(stage.told).toMatchObject([{ kind: "sidewire-tool-end" }]));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stage.results(id)).toEqual([]);
  });

  it("ends with its connection, and what it would have said is not sent on the next one", async () => {
    let answer: (value: unknown) => void = () => undefined;
    stage.answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const id = stage.call("page_text", { ref: "kq1" });
    await vi.waitFor(() => expect(stage.asked).toHaveLength(1));
    stage.tools.linkLost();
    answer(done());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stage.results(id)).toEqual([]);
    expect(stage.told.at(-1)).toMatchObject({ kind: "sidewire-tool-end" });
  });

  it("N20: of a turn that ends is answered as cancelled", async () => {
    stage.answer = never;
    const id = stage.call("page_text", { ref: "kq1" });
    await vi.waitFor(() => expect(stage.asked).toHaveLength(1));
    stage.end();
    expect(await stage.result(id)).toMatch(/^! cancelled: /);
  });

  it("N24: fails with a code and what to do next, never with the words of a script", async () => {
    stage.answer = () => {
      throw new TypeError("Cannot read properties of undefined (reading 'secret')");
    };
    expect(await stage.run("page_text", { ref: "kq1" })).toBe(
      "! failed: it did not work. Try another way, or tell the person.",
    );
    stage.answer = () => ({ ok: false, code: "dead-ref", detail: "kq1" });
    expect(await stage.run("page_text", { ref: "kq1" })).toMatch(/^! dead-ref: .*\(kq1\).* Read the page again/);
    for (const garbled of [null, 7, {}, { ok: true }, { ok: false, code: "made-up" }]) {
      stage.answer = () => garbled;
      expect(await stage.run("page_text", { ref: "kq1" })).toMatch(/^! failed: /);
    }
  });

  it("checks arguments itself", async () => {
    for (const args of [
      { offset: -1 },
      { limit: 1.5 },
      { ref: "e1e" },
      { selector: "a" },
      { ref: 7 },
      { __proto__x: 1 },
    ]) {
      expect(await stage.run("page_text", args)).toMatch(/^! bad-arguments: /);
    }
    expect(stage.asked).toEqual([]);
  });

  it("gives text that every JSON parser takes, cut at 64 KiB", async () => {
    stage.answer = () => done(`a\ud800b`);
    expect(await stage.run("page_text", { ref: "kq1" })).toBe("a\ufffdb");
    stage.api = { url: "/api", status: 200, resourceType: null, body: "ä".repeat(40_000), truncated: false };
    const text = await stage.run("page_api");
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(/\[the rest was cut\]$/);
  });
});

describe("Stop", () => {
  const sender = (more: object = {}) => ({ id: stage.browser.runtime.id, frameId: 0, tab: tab(TAB), ...more });
  const tab = (id: number): chrome.tabs.Tab => Object({ id });

  async function running(): Promise<{ id: string; call: string }> {
    stage.answer = (_frame, { kind }) => (kind === "sidewire-tool-target" ? target() : never());
    const id = stage.call("page_click", { ref: "kq1" });
    stage.tools.consents.answer("key", (await stage.card()).id, "once");
    await vi.waitFor(() => expect(stage.badges()).toHaveLength(1));
    return { id, call: stage.badges()[0]?.call ?? "" };
  }

  it("N20: in the page ends the turn and its calls", async () => {
    const { id, call } = await running();
    stage.tools.message({ kind: "sidewire-stop", call }, sender());
    expect(stage.stopped).toEqual([TURN]);
    expect(await stage.result(id)).toMatch(/^! cancelled/);
  });

  it("in the page ends the turn also between its acts, and takes its drawings away", async () => {
    await stage.run("annotate", { ref: "kq1", text: "here" });
    expect(await stage.runAllowed("page_click", { ref: "kq1" })).toBe("done");
    stage.tools.message({ kind: "sidewire-stop", call: stage.badges()[0]?.call }, sender());
    expect(stage.stopped).toEqual([TURN]);
    expect(stage.told.at(-1)).toEqual({ kind: "sidewire-tool-clear" });
  });

  it("S27: comes from the page that is acted on, and from nowhere else", async () => {
    const { id, call } = await running();
    const stop = { kind: "sidewire-stop", call };
    stage.tools.message(stop, sender({ tab: tab(8) }));
    stage.tools.message(stop, sender({ id: "a".repeat(32) }));
    stage.tools.message(stop, sender({ frameId: 3 }));
    stage.tools.message({ ...stop, call: id }, sender());
    stage.tools.message({ ...stop, call: "x" }, sender());
    stage.tools.message(null, sender());
    expect(stage.stopped).toEqual([]);
  });
});

describe("a turn", () => {
  it("that did not share its page gets nothing of it", async () => {
    const { origin: _origin, ...turn } = Object(stage.turn);
    stage.turn = turn;
    for (const name of ["page_text", "page_click", "highlight", "page_screenshot", "page_api"]) {
      const args = name === "page_click" || name === "highlight" ? { ref: "kq1" } : {};
      expect(await stage.run(name, args)).toMatch(/^! page-not-shared: /);
    }
    expect(stage.asked).toEqual([]);
    expect(stage.cards).toEqual([]);
  });

  it("N1: reads nothing of another site that its tab shows by now", async () => {
    stage.goTo("https://evil.example/");
    expect(await stage.run("page_text")).toMatch(/^! tab-moved: /);
    stage.goTo("http://acme.example/");
    expect(await stage.run("page_text")).toMatch(/^! tab-moved: /);
    expect(stage.asked).toEqual([]);
  });

  it("N1: does not hand over what was read while the tab went elsewhere", async () => {
    stage.answer = () => {
      stage.goTo("https://evil.example/");
      return done("their secret");
    };
    expect(await stage.run("page_text", { ref: "kq1" })).toMatch(/^! tab-moved: /);
  });

  it("N1: whose conversation is about another tab by now acts on neither", async () => {
    Object(stage.turn).tabNow = 8;
    expect(await stage.run("page_text")).toMatch(/^! tab-moved: /);
  });

  it("whose tab is gone, or cannot be read, is told so", async () => {
    stage.goTo(undefined);
    expect(await stage.run("page_text")).toMatch(/^! unreadable-page: /);
    stage.goTo("https://chromewebstore.google.com/");
    expect(await stage.run("page_text")).toMatch(/^! unreadable-page: /);
    stage.goTo(PAGE);
    Object(stage.turn).origin = null;
    expect(await stage.run("page_text")).toMatch(/^! unreadable-page: /);
    stage.browser.tabList = [];
    expect(await stage.run("page_text")).toMatch(/^! page-gone: /);
  });

  it("N26: reads nothing that policy forbids, neither the page nor a frame in it", async () => {
    stage.frames = [
      ...stage.frames,
      { id: 3, url: "https://pay.example/form", origin: "https://pay.example", focused: false },
    ];
    stage.policy.blockedUrlPatterns = ["*://pay.example/*"];
    await stage.run("page_snapshot");
    expect(stage.asked.map(({ frameId }) => frameId)).toEqual([0]);
    stage.policy.allowedDomains = ["other.example"];
    expect(await stage.run("page_snapshot")).toMatch(/^! blocked-by-policy: /);
    stage.policy = { ...stage.policy, allowedDomains: ["acme.example"], blockedUrlPatterns: ["/web/*"] };
    expect(await stage.run("page_snapshot")).toMatch(/^! blocked-by-policy: /);
  });

  it("leaves its drawings for their time when it ends; the next question of the tab takes them away", async () => {
    await stage.run("annotate", { ref: "kq1", text: "here" });
    stage.end();
    expect(stage.told).not.toContainEqual({ kind: "sidewire-tool-clear" });
    stage.tools.turnBegan(TAB);
    expect(stage.told.at(-1)).toEqual({ kind: "sidewire-tool-clear" });
  });

  it("578234e: is not harmed by a decoration that cannot be drawn", async () => {
    stage.answer = () => ({ ok: false, code: "dead-ref" });
    expect(await stage.run("highlight", { ref: "kq1" })).toMatch(/^nothing was drawn: dead-ref: /);
  });
});
