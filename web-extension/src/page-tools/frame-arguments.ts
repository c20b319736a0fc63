/**
 * The arguments of each tool that a frame runs, with their bounds and defaults: the worker is told of them, the service
 * worker relies on them, and so does the frame. There is no other place that says what fits.
 */
import type { FrameTool } from "./messages";
import type { ArgumentsSchema, Property } from "./schema";
import { DESCRIBED, REF, TARGET } from "./targets";

/** What stands for an argument that is not given. */
export const DEFAULTS = {
  bytes: 6_000,
  limit: 8_000,
  found: 10,
  timeoutMs: 10_000,
  amount: 0.8,
  highlighted: 8,
  annotated: 20,
} as const;

/** The least that a snapshot may be asked for. */
export const BYTES_MIN = 500;
/** Shortest time to wait for something. */
export const TIMEOUT_MIN = 100;

export const MODIFIERS = ["Alt", "Control", "Meta", "Shift"] as const;
export const WAIT_STATES = ["appears", "gone", "enabled"] as const;
export const DIRECTIONS = ["up", "down", "left", "right"] as const;
export const EDGES = ["top", "bottom", "left", "right"] as const;

/** The arguments of each tool. */
export const FRAME_ARGUMENTS: Readonly<Record<FrameTool, ArgumentsSchema>> = {
  page_snapshot: takes({
    ref: REF,
    bytes: integer(`How much to read, default ${DEFAULTS.bytes}.`, BYTES_MIN, 16_384),
  }),
  page_text: takes({
    ref: REF,
    offset: integer("Where to start, in characters.", 0, 50_000_000),
    limit: integer(`How much, default ${DEFAULTS.limit} characters.`, 1, 20_000),
  }),
  page_find: takes({ ...DESCRIBED, limit: integer(`How many, default ${DEFAULTS.found}.`, 1, 50) }),
  wait_for: takes({
    ...TARGET,
    state: word("Default appears.", WAIT_STATES),
    url: { type: "string", description: "A piece of the address to wait for.", minLength: 1, maxLength: 1_000 },
    settled: { type: "boolean", description: "Wait until nothing changes on the page any more." },
    timeoutMs: integer(`Default ${DEFAULTS.timeoutMs}.`, TIMEOUT_MIN, 60_000),
  }),
  page_click: takes({
    ...TARGET,
    double: { type: "boolean", description: "Double-click." },
    modifiers: { type: "array", description: "Keys held meanwhile.", maxItems: 4, items: word(undefined, MODIFIERS) },
  }),
  page_fill: takes({ ...TARGET, value: { type: "string", description: "The whole new content.", maxLength: 32_768 } }, [
    "value",
  ]),
  page_select: takes(
    {
      ...TARGET,
      options: {
        type: "array",
        description: "Labels or values; several only where the control takes several.",
        minItems: 1,
        maxItems: 50,
        items: { type: "string", maxLength: 500 },
      },
    },
    ["options"],
  ),
  page_press: takes({ ...TARGET, key: { type: "string", description: "Key or chord.", minLength: 1, maxLength: 40 } }, [
    "key",
  ]),
  page_scroll: takes({
    ...TARGET,
    direction: word(undefined, DIRECTIONS),
    amount: { type: "number", description: `In screens, default ${DEFAULTS.amount}.`, minimum: 0.1, maximum: 20 },
    edge: word(undefined, EDGES),
  }),
  highlight: takes({ ...TARGET, seconds: integer(`How long, default ${DEFAULTS.highlighted}.`, 1, 60) }),
  annotate: takes(
    {
      ...TARGET,
      // What the callout says; the target is then named by ref, role or name.
      text: { type: "string", description: "What the callout says.", minLength: 1, maxLength: 600 },
      seconds: integer(`How long, default ${DEFAULTS.annotated}.`, 1, 120),
    },
    ["text"],
  ),
};

function takes(properties: Record<string, Property>, required?: readonly string[]): ArgumentsSchema {
  return { type: "object", properties, ...(required !== undefined && { required }), additionalProperties: false };
}

function integer(description: string, minimum: number, maximum: number): Property {
  return { type: "integer", description, minimum, maximum };
}

function word(description: string | undefined, choices: readonly string[]): Property {
  const maxLength = Math.max(...choices.map(({ length }) => length));
  return { type: "string", ...(description !== undefined && { description }), maxLength, enum: choices };
}
