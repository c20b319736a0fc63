/** The tools that draw over the page. A decoration that cannot be drawn is said, and never fails anything. */
import { ToolError, toldOf } from "./errors";
import { frameMeant, runIn } from "./in-frames";
import type { FrameTool } from "./messages";
import type { Property } from "./schema";
import { ONE_TARGET, TARGET } from "./targets";
import { type LookingTool, text } from "./tool";

interface Spec extends Pick<LookingTool, "label" | "description"> {
  name: FrameTool;
  properties: Record<string, Property>;
  required?: readonly string[];
  /** The arguments that name the target, besides its ref. */
  target: readonly string[];
}

function drawing({ properties, required = [], target, ...spec }: Spec): LookingTool {
  return {
    ...spec,
    parameters: { type: "object", properties, required, additionalProperties: false },
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
  label: "Point at something",
  description: `Scrolls an element into view and outlines it for a while, so that the person sees what you speak of. ${ONE_TARGET}`,
  properties: {
    ...TARGET,
    seconds: { type: "integer", description: "How long, default 8.", minimum: 1, maximum: 60 },
  },
  target: ["role", "name", "text"],
});

/** Draws a callout at an element. */
export const annotate = drawing({
  name: "annotate",
  label: "Write on the page",
  description: `Draws a callout with a short text beside an element, over the page; the page itself stays as it is. ${ONE_TARGET}`,
  properties: {
    ...TARGET,
    // What the callout says; the target is then named by ref, role or name.
    text: { type: "string", description: "What the callout says.", minLength: 1, maxLength: 600 },
    seconds: { type: "integer", description: "How long, default 20.", minimum: 1, maximum: 120 },
  },
  required: ["text"],
  target: ["role", "name"],
});

/** Tools that draw. */
export const showTools: readonly LookingTool[] = [highlight, annotate];
