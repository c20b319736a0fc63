/** The tools that act through a frame of the page. Each asks the person first, on the path of `guard.ts`. */
import { aimAt, runIn } from "./in-frames";
import type { FrameTool } from "./messages";
import type { Property } from "./schema";
import { ONE_TARGET, TARGET } from "./targets";
import { type ActingTool, text, textOf } from "./tool";

type Values = Readonly<Record<string, unknown>>;

interface Spec extends Pick<ActingTool, "label" | "description" | "action"> {
  name: FrameTool;
  properties: Record<string, Property>;
  required?: readonly string[];
  /** What it would type, choose or press, for the card. */
  value?(values: Values): string | undefined;
  /** A secret field is asked about each time only by what puts something into it. */
  entersText?: true;
}

function frameAct({ properties, required = [], value, entersText, ...spec }: Spec): ActingTool {
  return {
    ...spec,
    parameters: { type: "object", properties, required, additionalProperties: false },
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

const MODIFIER: Property = { type: "string", maxLength: 7, enum: ["Alt", "Control", "Meta", "Shift"] };

const click = frameAct({
  name: "page_click",
  label: "Click",
  description: `Clicks an element as a person would; refuses what is covered or disabled and says why. ${ONE_TARGET}`,
  action: "click",
  properties: {
    ...TARGET,
    double: { type: "boolean", description: "Double-click." },
    modifiers: { type: "array", description: "Keys held meanwhile.", maxItems: 4, items: MODIFIER },
  },
});

const fill = frameAct({
  name: "page_fill",
  label: "Fill in",
  description: `Replaces the content of a text field, date field or editable area. ${ONE_TARGET}`,
  action: "type",
  properties: { ...TARGET, value: { type: "string", description: "The whole new content.", maxLength: 32_768 } },
  required: ["value"],
  value: (values) => textOf(values, "value"),
  entersText: true,
});

const select = frameAct({
  name: "page_select",
  label: "Choose",
  description: `Chooses options of a select, list box or combo box, or one of a radio group. For a checkbox use page_click. ${ONE_TARGET}`,
  action: "choose",
  properties: {
    ...TARGET,
    options: {
      type: "array",
      description: "Labels or values; several only where the control takes several.",
      minItems: 1,
      maxItems: 50,
      items: { type: "string", maxLength: 500 },
    },
  },
  required: ["options"],
  value: ({ options }) => (Array.isArray(options) ? options.join(", ") : undefined),
});

const press = frameAct({
  name: "page_press",
  label: "Press a key",
  description:
    "Presses a key or chord, such as Enter, Escape, ArrowDown or Control+A, on a target or on what has the focus. To enter text use page_fill.",
  action: "press",
  properties: { ...TARGET, key: { type: "string", description: "Key or chord.", minLength: 1, maxLength: 40 } },
  required: ["key"],
  value: (values) => textOf(values, "key"),
  entersText: true,
});

const scroll = frameAct({
  name: "page_scroll",
  label: "Scroll",
  description: "Scrolls a target into view; or the page, or the list a target is in, by screens or to an edge.",
  action: "scroll",
  properties: {
    ...TARGET,
    direction: { type: "string", maxLength: 5, enum: ["up", "down", "left", "right"] },
    amount: { type: "number", description: "In screens, default 0.8.", minimum: 0.1, maximum: 20 },
    edge: { type: "string", maxLength: 6, enum: ["top", "bottom", "left", "right"] },
  },
  value: (values) => textOf(values, "edge") ?? textOf(values, "direction"),
});

/** Tools that act in a frame. */
export const actTools: readonly ActingTool[] = [click, fill, select, press, scroll];
