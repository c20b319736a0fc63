import { describe, expect, it } from "vitest";
import { grantAlways } from "./grants-store";
import { done, ORIGIN, stage, target, useStage } from "./testing/stage";

useStage();

/** The frame says that a call comes to something else than its tool. */
function comesTo(effect: unknown): void {
  stage.answer = (_frame, { kind }) => (kind === "sidewire-tool-target" ? target("Save", { effect }) : done());
}

const CASES = [
  { granted: "press", tool: "page_press", args: { key: "Enter" }, effect: "click", value: "Enter" },
  { granted: "press", tool: "page_press", args: { key: "a" }, effect: "type", value: "a" },
  { granted: "press", tool: "page_press", args: { key: "ArrowDown" }, effect: "choose", value: "ArrowDown" },
  { granted: "choose", tool: "page_select", args: { options: ["Delete"] }, effect: "click", value: "Delete" },
] as const;

describe("who allowed one kind of action", () => {
  it.each(CASES)("$granted has not allowed $tool $args, which comes to $effect", async (each) => {
    await grantAlways(ORIGIN, each.granted);
    comesTo(each.effect);
    const id = stage.call(each.tool, { ref: "kq1", ...each.args });
    const card = await stage.card();
    expect(card).toMatchObject({ action: each.effect, target: "Save", value: each.value });
    expect(stage.acted()).toEqual([]);
    stage.tools.consents.answer("key", card.id, "once");
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
