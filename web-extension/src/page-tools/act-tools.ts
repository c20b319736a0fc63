/** The tools that act through a frame of the page. Each asks the person first, on the path of `guard.ts`. */
import { FRAME_ARGUMENTS } from "./frame-arguments";
import { aimAt, runIn } from "./in-frames";
import type { FrameTool } from "./messages";
import { ONE_TARGET } from "./targets";
import { type ActingTool, text, textOf } from "./tool";

type Values = Readonly<Record<string, unknown>>;

interface Spec extends Pick<ActingTool, "description" | "action"> {
  name: FrameTool;
  /** What it would type, choose or press, for the card. */
  value?(values: Values): string | undefined;
  /** A secret field is asked about each time only by what puts something into it. */
  entersText?: true;
}

function frameAct({ value, entersText, ...spec }: Spec): ActingTool {
  return {
    ...spec,
    parameters: FRAME_ARGUMENTS[spec.name],
    does: "act",
    async aim(call) {
      const aim = await aimAt(call, spec.name);
      const shown = value?.(call.arguments);
      return { ...aim, secret: aim.secret && entersText === true, ...(shown !== undefined && { value: shown }) };
    },
    async run(call, { frameId, values, secret }) {
      const run = { tool: spec.name, values, confirmed: true, mayTypeSecrets: secret } as const;
      return text((await runIn(call, frameId, run)).text);
    },
  };
}

const click = frameAct({
  name: "page_click",
  description: `Clicks an element as a person would; refuses what is covered or disabled and says why. ${ONE_TARGET}`,
  action: "click",
});

const fill = frameAct({
  name: "page_fill",
  description: `Replaces the content of a text field, date field or editable area. ${ONE_TARGET}`,
  action: "type",
  value: (values) => textOf(values, "value"),
  entersText: true,
});

const select = frameAct({
  name: "page_select",
  description: `Chooses options of a select, list box or combo box, or one of a radio group. For a checkbox use page_click. ${ONE_TARGET}`,
  action: "choose",
  value: ({ options }) => (Array.isArray(options) ? options.join(", ") : undefined),
});

const press = frameAct({
  name: "page_press",
  description:
    "Presses a key or chord, such as Enter, Escape, ArrowDown or Control+A, on a target or on what has the focus. To enter text use page_fill.",
  action: "press",
  value: (values) => textOf(values, "key"),
  entersText: true,
});

const scroll = frameAct({
  name: "page_scroll",
  description: "Scrolls a target into view; or the page, or the list a target is in, by screens or to an edge.",
  action: "scroll",
  value: (values) => textOf(values, "edge") ?? textOf(values, "direction"),
});

/** Tools that act in a frame. */
export const actTools: readonly ActingTool[] = [click, fill, select, press, scroll];
