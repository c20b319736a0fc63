/** The tools that draw over the page. A decoration that cannot be drawn is said, and never fails anything. */
import { ToolError, toldOf } from "./errors";
import { FRAME_ARGUMENTS } from "./frame-arguments";
import { frameMeant, runIn } from "./in-frames";
import type { FrameTool } from "./messages";
import { ONE_TARGET } from "./targets";
import { type LookingTool, text } from "./tool";

interface Spec extends Pick<LookingTool, "description"> {
  name: FrameTool;
  /** The arguments that name the target, besides its ref. */
  target: readonly string[];
}

function drawing({ target, ...spec }: Spec): LookingTool {
  return {
    ...spec,
    parameters: FRAME_ARGUMENTS[spec.name],
    does: "show",
    async run(call) {
      try {
        const { frame, values } = await frameMeant(call, target);
        return text((await runIn(call, frame.id, { tool: spec.name, values })).text);
      } catch (error) {
        if (error instanceof ToolError && error.code === "tab-moved") throw error;
        return text(`nothing was drawn: ${toldOf(error)}`);
      }
    },
  };
}

/** Outlines an element for a while. */
export const highlight = drawing({
  name: "highlight",
  description: `Scrolls an element into view and outlines it for a while, so that the person sees what you speak of. ${ONE_TARGET}`,
  target: ["role", "name", "text"],
});

/** Draws a callout at an element. */
export const annotate = drawing({
  name: "annotate",
  description: `Draws a callout with a short text beside an element, over the page; the page itself stays as it is. ${ONE_TARGET}`,
  target: ["role", "name"],
});

/** Tools that draw. */
export const showTools: readonly LookingTool[] = [highlight, annotate];
