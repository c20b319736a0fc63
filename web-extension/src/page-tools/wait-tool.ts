/** Waits until the page shows, or no longer shows, something; survives the page loading anew meanwhile. */
import { ToolError } from "./errors";
import { DEFAULTS, FRAME_ARGUMENTS, TIMEOUT_MIN } from "./frame-arguments";
import type { Frame } from "./frames";
import { frameMeant, framesOf, runIn } from "./in-frames";
import { pause } from "./limited";
import type { FrameDone } from "./messages";
import { type LookingTool, numberOf, type ToolCall, text } from "./tool";

/** The frame says that the time is over; only if it does not, the call is ended from here. */
const GRACE_MS = 2_000;
/** A page that loads anew is looked at again this often. */
const AGAIN_MS = 250;

/** The tool `wait_for`. */
export const waitFor: LookingTool = {
  name: "wait_for",
  description:
    "Waits until an element or a text appears, is gone or is enabled, until the address contains a text, or until the " +
    "page has settled. Use it after an action whose effect takes a moment.",
  parameters: FRAME_ARGUMENTS.wait_for,
  does: "read",
  timeoutMs: (values) => (numberOf(values, "timeoutMs") ?? DEFAULTS.timeoutMs) + GRACE_MS,
  async run(call) {
    const deadline = Date.now() + (numberOf(call.arguments, "timeoutMs") ?? DEFAULTS.timeoutMs);
    while (!call.signal.aborted) {
      const left = deadline - Date.now();
      if (left <= 0) break;
      const done = await waitOnce(call, Math.max(TIMEOUT_MIN, left));
      if (done !== undefined) return text(done.text);
      await pause(AGAIN_MS, call.signal);
    }
    throw new ToolError("timeout");
  },
};

/** Waits in the document as it is now; undefined when that went away. */
async function waitOnce(call: ToolCall, timeoutMs: number): Promise<FrameDone | undefined> {
  const values = { ...call.arguments, timeoutMs };
  try {
    const frames = await framesOf(call);
    const { state, url, settled } = call.arguments;
    if (call.arguments["ref"] !== undefined) return await waitAt(call, timeoutMs);
    if (url !== undefined || settled === true) return await waitIn(call, { id: 0 }, values);
    const all = frames.map((frame) => waitIn(call, frame, values));
    return state === "gone" ? (await Promise.all(all))[0] : await firstOf(all);
  } catch (error) {
    const away = error instanceof ToolError && (error.code === "page-gone" || error.code === "unreadable-page");
    if (away) return undefined;
    throw error;
  }
}

async function waitAt(call: ToolCall, timeoutMs: number): Promise<FrameDone> {
  const { frame, values } = await frameMeant(call);
  return waitIn(call, frame, { ...values, timeoutMs });
}

function waitIn(call: ToolCall, { id }: Pick<Frame, "id">, values: Record<string, unknown>): Promise<FrameDone> {
  return runIn(call, id, { tool: "wait_for", values });
}

/** The first that comes true; when none does, what the main frame says. */
async function firstOf(all: Promise<FrameDone>[]): Promise<FrameDone> {
  try {
    return await Promise.any(all);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}
