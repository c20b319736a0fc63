import { describe, expect, it } from "vitest";
import { grantAlways } from "./grants-store";
import { done, ORIGIN, stage, target, useStage } from "./testing/stage";

useStage();

/** The frame says that a call comes to something else than its tool. */
function comesTo(effect: unknown): void {
  stage.answer = (_frame, { kind }) => (kind === "sidewire-tool-target" ? target("Save", { effect }) : done());
}

describe("who allowed one kind of action", () => {
  it.each([
    ["press", "page_press", { key: "Enter" }, "click", "Enter"],
    ["press", "page_press", { key: "a" }, "type", "a"],
    ["press", "page_press", { key: "ArrowDown" }, "choose", "ArrowDown"],
    ["choose", "page_select", { options: ["Delete"] }, "click", "Delete"],
  ] as const)("%s has not allowed %s %j, which comes to %s", async (granted, tool, ...[args, effect, value]) => {
    await grantAlways(ORIGIN, granted);
    comesTo(effect);
    const id = stage.call(tool, { ref: "kq1", ...args });
    expect(await stage.card()).toMatchObject({ action: effect, target: "Save", value });
    expect(stage.acted()).toEqual([]);
    stage.tools.consents.answer("key", (await stage.card()).id, "once");
    expect(await stage.result(id)).toBe("done");
  });

  it("is asked no more for what the call comes to, once that is allowed", async () => {
    await grantAlways(ORIGIN, "click");
    comesTo("click");
    expect(await stage.run("page_press", { ref: "kq1", key: "Enter" })).toBe("done");
  });

  it("is asked about the tool's own kind where a frame says something else", async () => {
    await grantAlways(ORIGIN, "scroll");
    comesTo("scroll");
    stage.call("page_press", { ref: "kq1", key: "Enter" });
    expect(await stage.card()).toMatchObject({ action: "press" });
  });
});
