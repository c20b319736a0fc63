/** The tools that read the page through its frames, and what the answers of several frames mean together. */
import { redactText } from "../capture/redact";
import { utf8Length } from "../shared/text";
import { ToolError } from "./errors";
import { BYTES_MIN, DEFAULTS, FRAME_ARGUMENTS } from "./frame-arguments";
import type { Frame } from "./frames";
import { findEverywhere, frameMeant, framesOf, listed, runIn } from "./in-frames";
import { textPart } from "./messages";
import { type LookingTool, numberOf, type ToolCall, text, textOf } from "./tool";

/** Frames get this part of a snapshot, where there are any; the main document has what they leave. */
const FRAMES_SHARE = 0.4;

/** Reads the page as a tree of lines. */
export const pageSnapshot: LookingTool = {
  name: "page_snapshot",
  description:
    "Reads the page as it is now, as indented lines with roles, names, states and refs. Use it when the page may have " +
    "changed since the question, or give a ref to see one part in detail.",
  parameters: FRAME_ARGUMENTS.page_snapshot,
  does: "read",
  async run(call) {
    const bytes = numberOf(call.arguments, "bytes") ?? DEFAULTS.bytes;
    const tool = "page_snapshot";
    if (textOf(call.arguments, "ref") !== undefined) {
      const { frame, values } = await frameMeant(call);
      return text((await runIn(call, frame.id, { tool, values })).text);
    }
    const [main, ...frames] = await framesOf(call);
    const room = Math.max(1, Math.floor((bytes * FRAMES_SHARE) / BYTES_MIN));
    const shown = frames.slice(0, room);
    const share = Math.max(BYTES_MIN, Math.floor((bytes * FRAMES_SHARE) / Math.max(1, shown.length)));
    const below = await Promise.all(shown.map((frame) => partOf(call, frame, share)));
    const parts = below.filter((part) => part !== "");
    if (frames.length > shown.length)
      parts.push(`[${frames.length - shown.length} more frames; page_find looks into all]`);
    const left = Math.max(BYTES_MIN, bytes - utf8Length(parts.join("\n")));
    const top = await runIn(call, main?.id ?? 0, { tool, values: { bytes: left } });
    return text([top.text, ...parts].join("\n"));
  },
};

/** One frame of a snapshot; a frame that does not answer is left out. */
async function partOf(call: ToolCall, frame: Frame, bytes: number): Promise<string> {
  const done = await runIn(call, frame.id, { tool: "page_snapshot", values: { bytes } }).catch(() => undefined);
  return done === undefined || done.text.trim() === "" ? "" : `${headOf(frame)}\n${done.text}`;
}

function headOf({ id, url }: Frame): string {
  const { host = "", pathname = "" } = URL.parse(url) ?? {};
  return `frame f${id} ${redactText(host + pathname)}`.trimEnd();
}

/** Reads the visible text. */
export const pageText: LookingTool = {
  name: "page_text",
  description:
    "Reads the visible text of the page or of the element at a ref, in reading order, frames included. For long prose " +
    "and tables; use offset to read on.",
  parameters: FRAME_ARGUMENTS.page_text,
  does: "read",
  async run(call) {
    const ref = textOf(call.arguments, "ref");
    if (ref !== undefined) {
      const { frame, values } = await frameMeant(call);
      return text((await runIn(call, frame.id, { tool: "page_text", values })).text);
    }
    return text(await textOfFrames(call));
  },
};

/** The texts of the frames one behind the other, as if they were one text. */
async function textOfFrames(call: ToolCall): Promise<string> {
  const offset = numberOf(call.arguments, "offset") ?? 0;
  let left = numberOf(call.arguments, "limit") ?? DEFAULTS.limit;
  let before = 0;
  const parts: string[] = [];
  for (const frame of await framesOf(call)) {
    const values = { offset: Math.max(0, offset - before), limit: Math.max(1, left) };
    const done = await runIn(call, frame.id, { tool: "page_text", values }).catch((error: unknown) => {
      if (frame.id === 0) throw error;
      return undefined;
    });
    const part = textPart(done?.data);
    if (part === null) continue;
    if (left > 0 && part.text !== "") {
      parts.push(frame.id === 0 ? redactText(part.text) : `${headOf(frame)}\n${redactText(part.text)}`);
      left -= part.text.length;
    }
    before += part.total;
  }
  return parts.length === 0
    ? `no text here; the page has ${before} characters`
    : parts.join("\n") + restOf(before, offset, call);
}

function restOf(total: number, offset: number, call: ToolCall): string {
  const end = offset + (numberOf(call.arguments, "limit") ?? DEFAULTS.limit);
  return end < total ? `\n[${total - end} more characters; read on with offset ${end}]` : "";
}

/** Finds elements. */
export const pageFind: LookingTool = {
  name: "page_find",
  description:
    "Finds elements by role, name or text and gives their refs, the best first. Cheaper than reading the page again " +
    "when you know what you look for.",
  parameters: FRAME_ARGUMENTS.page_find,
  does: "read",
  async run(call) {
    const limit = numberOf(call.arguments, "limit") ?? DEFAULTS.found;
    const { role, name, text: wanted } = call.arguments;
    if ([role, name, wanted].every((value) => value === undefined)) {
      throw new ToolError("bad-arguments", "give a role, a name or a text");
    }
    const found = await findEverywhere(call, await framesOf(call), call.arguments);
    const candidates = found.flatMap((one) => one.candidates).slice(0, limit);
    const total = found.reduce((sum, one) => sum + one.total, 0);
    if (candidates.length === 0) throw new ToolError("no-such-element");
    const more = total > candidates.length ? `\n[${total - candidates.length} more]` : "";
    return text(listed(candidates) + more);
  },
};

/** Read tools that frames run, except waiting. */
export const readTools: readonly LookingTool[] = [pageSnapshot, pageText, pageFind];
