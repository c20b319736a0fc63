import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Frame } from "./frames";
import { grantAlways } from "./grants-store";
import { done, ORIGIN, stage, target, useStage } from "./testing/stage";

useStage();

const CHILD: Frame = { id: 3, url: `${ORIGIN}/inner?token=abc`, origin: ORIGIN, focused: false };
const OTHER: Frame = { id: 4, url: "https://pay.example/form", origin: "https://pay.example", focused: false };

const found = (...refs: string[]): unknown => ({
  ok: true,
  text: refs.join("\n"),
  data: { candidates: refs.map((ref) => ({ ref, role: "button", name: "Save" })), total: refs.length },
});
const nothing = { ok: false, code: "no-such-element", detail: "nothing on the page is button" };

describe("a tool in several frames", () => {
  beforeEach(() => {
    stage.frames = [...stage.frames, CHILD, OTHER];
  });

  it("page_snapshot shows each under its name, and leaves out one that does not answer", async () => {
    stage.answer = (frame, { prefix }) => (frame === 4 ? undefined : done(`${prefix ?? ""}kq1 button "Save"`));
    expect(await stage.run("page_snapshot", { bytes: 4_000 })).toBe(
      'kq1 button "Save"\nframe f3 acme.example/inner\nf3kq1 button "Save"',
    );
    const bytes = stage.asked.map(({ frameId, arguments: args }) => [frameId, args["bytes"]]);
    // What the frames leave, the main document may use.
    expect(bytes).toEqual([
      [3, 800],
      [4, 800],
      [0, 4_000 - 'frame f3 acme.example/inner\nf3kq1 button "Save"'.length],
    ]);
  });

  it("page_snapshot says which frames a small budget leaves out", async () => {
    stage.answer = () => done("x");
    expect(await stage.run("page_snapshot", { bytes: 2_000 })).toMatch(
      /\n\[1 more frames; page_find looks into all\]$/,
    );
    expect(stage.asked.map(({ frameId }) => frameId)).toEqual([3, 0]);
  });

  it("page_snapshot of one part asks the frame it is in", async () => {
    await stage.run("page_snapshot", { ref: "f3kq7" });
    expect(stage.asked).toMatchObject([{ frameId: 3, prefix: "f3", arguments: { ref: "kq7" } }]);
  });

  it("page_find gives what fits in all of them, and how much more there is", async () => {
    stage.answer = (frame) => (frame === 0 ? found("kq1") : frame === 3 ? found("f3kq1", "f3kq2") : nothing);
    expect(await stage.run("page_find", { role: "button", limit: 2 })).toBe(
      'kq1 button "Save"\nf3kq1 button "Save"\n[1 more]',
    );
    stage.answer = () => nothing;
    expect(await stage.run("page_find", { role: "button" })).toMatch(/^! no-such-element/);
    expect(await stage.run("page_find", {})).toMatch(/^! bad-arguments/);
  });

  it("page_text is one text with one count", async () => {
    const texts = new Map([
      [0, "main text."],
      [3, "inner"],
      [4, "pay"],
    ]);
    stage.answer = (frame, { arguments: args }) => {
      const whole = texts.get(frame) ?? "";
      const offset = Number(args["offset"]);
      const text = whole.slice(offset, offset + Number(args["limit"]));
      return { ok: true, text, data: { text, offset, total: whole.length } };
    };
    expect(await stage.run("page_text")).toBe(
      "main text.\nframe f3 acme.example/inner\ninner\nframe f4 pay.example/form\npay",
    );
    expect(await stage.run("page_text", { limit: 12 })).toBe(
      "main text.\nframe f3 acme.example/inner\nin\n[6 more characters; read on with offset 12]",
    );
    expect(await stage.run("page_text", { offset: 12, limit: 4 })).toBe(
      "frame f3 acme.example/inner\nner\nframe f4 pay.example/form\np\n[2 more characters; read on with offset 16]",
    );
    expect(await stage.run("page_text", { offset: 99 })).toBe("no text here; the page has 18 characters");
  });

  it("a target named by role and name is looked for in all of them, and must fit in one", async () => {
    stage.answer = (frame, { kind, tool }) => {
      if (kind === "sidewire-tool-target") return target("Save");
      return tool !== "page_find" ? done() : frame === 4 ? found("f4kq1") : nothing;
    };
    expect(await stage.runAllowed("page_click", { role: "button", name: "Save" })).toBe("done");
    expect(stage.acted().at(-1)).toMatchObject({ frameId: 4, tool: "page_click" });

    stage.answer = (frame) => found(frame === 0 ? "kq1" : `f${frame}kq1`);
    expect(await stage.run("page_click", { role: "button", name: "Save" })).toMatch(
      /^! ambiguous: .*kq1 button "Save"/s,
    );
  });

  it("a key without a target goes to the frame with the focus", async () => {
    await grantAlways(ORIGIN, "press");
    stage.frames = stage.frames.map((frame) => ({ ...frame, focused: frame.id === 3 }));
    await stage.run("page_press", { key: "Enter" });
    expect(stage.acted()).toMatchObject([{ frameId: 3, arguments: { key: "Enter" } }]);
  });

  it("a callout's text does not name its target", async () => {
    stage.answer = (frame, { tool }) => (tool === "page_find" ? (frame === 3 ? found("f3kq1") : nothing) : done());
    expect(await stage.run("annotate", { name: "Save", text: "Press here" })).toBe("done");
    expect(stage.asked.filter(({ tool }) => tool === "page_find")[0]?.arguments).not.toHaveProperty("text");
    expect(stage.asked.at(-1)).toMatchObject({ frameId: 3, tool: "annotate", arguments: { text: "Press here" } });
  });

  it("a ref of a frame that is gone says so", async () => {
    expect(await stage.run("page_text", { ref: "f9kq1" })).toMatch(/^! frame-gone: /);
    stage.answer = () => undefined;
    expect(await stage.run("page_text", { ref: "f3kq1" })).toMatch(/^! frame-gone: /);
    expect(await stage.run("page_text", { ref: "kq1" })).toMatch(/^! page-gone: /);
  });

  it("S24: what a frame gives goes through redaction once more", async () => {
    stage.answer = () => done("password=hunter2hunter2 and Bearer abcdefghijklmnopqrstuvwxyz012345");
    const text = await stage.run("page_text", { ref: "kq1" });
    expect(text).not.toMatch(/hunter2|abcdefghijklmnop/);
    stage.answer = () => ({ ok: false, code: "ambiguous", detail: 'e1 textbox "api_key=AKIAABCDEFGHIJKLMNOP"' });
    expect(await stage.run("page_text", { ref: "kq1" })).not.toMatch(/AKIA/);
  });

  it("N18: a main document of another origin than its tab's address is not believed", async () => {
    stage.frames = [{ id: 0, url: "https://evil.example/", origin: "https://evil.example", focused: true }];
    expect(await stage.run("page_text", { ref: "kq1" })).toMatch(/^! tab-moved/);
  });
});

describe("wait_for", () => {
  it("is over as soon as it is true in one frame", async () => {
    stage.frames = [...stage.frames, CHILD];
    stage.answer = (frame) => (frame === 3 ? done("f3kq2 appeared") : new Promise(() => undefined));
    expect(await stage.run("wait_for", { text: "Saved" })).toBe("f3kq2 appeared");
  });

  it("that something is gone means gone from all of them", async () => {
    stage.frames = [...stage.frames, CHILD];
    stage.answer = (frame) => (frame === 0 ? done("gone") : { ok: false, code: "timeout" });
    expect(await stage.run("wait_for", { text: "Saving", state: "gone" })).toMatch(/^! timeout/);
  });

  it("goes on in the page that a navigation brings", async () => {
    let looks = 0;
    stage.answer = () => {
      looks += 1;
      return looks === 1 ? undefined : done("appeared");
    };
    expect(await stage.run("wait_for", { text: "Saved", timeoutMs: 5_000 })).toBe("appeared");
    expect(looks).toBe(2);
  });

  it("N16: may take as long as it was asked to, and no longer", async () => {
    stage.answer = () => new Promise(() => undefined);
    const id = stage.call("wait_for", { text: "Saved", timeoutMs: 60_000 });
    await vi.advanceTimersByTimeAsync(61_500);
    expect(stage.results(id)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await stage.result(id)).toMatch(/^! timeout/);
    expect(await stage.run("wait_for", { text: "x", timeoutMs: 60_001 })).toMatch(/^! bad-arguments/);
  });

  it("for an address or a settled page asks the main frame only", async () => {
    stage.frames = [...stage.frames, CHILD];
    await stage.run("wait_for", { url: "/done" });
    await stage.run("wait_for", { settled: true });
    expect(stage.asked.map(({ frameId }) => frameId)).toEqual([0, 0]);
  });
});

describe("page_api", () => {
  it("gives the resource that was captured, with its status", async () => {
    const body = { metadata: { name: "lb1" } };
    stage.api = { url: "/api/lb1", status: 200, resourceType: "lb", body, truncated: true };
    expect(await stage.run("page_api")).toBe(
      '/api/lb1 (status 200)\n{"metadata":{"name":"lb1"}}\n[some of it was left out because of its size]',
    );
  });

  it.each([
    ["none", /no API response that describes/],
    ["needs-grant", /allow it in the panel/],
    ["needs-reload", /ask the person to reload/],
    ["captured", /belongs to what the page shows now/],
  ] as const)("without one says why (%s)", async (api, why) => {
    stage.pageState = { api };
    expect(await stage.run("page_api")).toMatch(why);
  });
});
