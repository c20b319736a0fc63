/**
 * Runs tools in the frames of a page: finds the frame that is meant, and asks it.
 *
 * What the answers of several frames mean together is the business of `read-tools.ts`.
 */
import { redactText } from "../capture/redact";
import { frameFailure, ToolError } from "./errors";
import type { Frame } from "./frames";
import {
  type Candidate,
  type Found,
  type FrameDone,
  type FrameTool,
  foundOf,
  PAGE_ROLE,
  type ToolMessage,
  targetReply,
  toolReply,
} from "./messages";
import { allows, type Policy } from "./policy";
import { parseRef, prefixOf } from "./refs";
import { type Aim, type ToolCall, textOf } from "./tool";

type Values = Readonly<Record<string, unknown>>;

/** The frames of the page that policy lets us into, the main one first. */
export async function framesOf(call: ToolCall): Promise<Frame[]> {
  const [frames, policy] = await Promise.all([call.world.frames.list(call.tabId), call.world.policy()]);
  if (originOf(frames[0], call.url) !== call.url.origin) throw new ToolError("tab-moved");
  return frames.filter((frame) => frame.id === 0 || isAllowedFrame(frame, policy));
}

function originOf(frame: Frame | undefined, page: URL): string {
  // A page may be sandboxed by its own server; its address still says where it is from.
  if (frame === undefined || frame.origin !== "null") return frame?.origin ?? "";
  return URL.parse(frame.url, page)?.origin ?? "null";
}

/** Whether policy lets us into a frame. An empty or sandboxed one has no address of its own and goes with its page. */
export function isAllowedFrame({ url, origin }: Frame, policy: Policy): boolean {
  const own = /^https?:/.test(url) ? URL.parse(url) : URL.parse(origin);
  return own === null || allows(policy, own);
}

/** How a tool is run in a frame. */
export interface Run {
  tool: FrameTool;
  values: Values;
  /** The person was asked about the target. */
  confirmed?: true;
  mayTypeSecrets?: boolean;
}

/** Runs a tool in one frame. */
export async function runIn(call: ToolCall, frameId: number, run: Run): Promise<FrameDone> {
  const { tool, values, confirmed, mayTypeSecrets } = run;
  const ask: ToolMessage = {
    kind: "sidewire-tool",
    call: call.id,
    tool,
    arguments: { ...values },
    ...prefixed(frameId),
    ...(confirmed && { confirmed }),
    ...(mayTypeSecrets && { mayTypeSecrets }),
  };
  const answer = await call.world.frames.ask(call.tabId, frameId, ask, call.signal);
  if (answer === undefined) throw gone(frameId);
  const reply = toolReply(answer);
  if (reply === null) throw new ToolError("failed");
  if (!reply.ok) throw frameFailure(reply);
  // A frame's answer is not trusted to have hidden what no model should see.
  return { ...reply, text: redactText(reply.text) };
}

function prefixed(frameId: number): { prefix?: string } {
  const prefix = prefixOf(frameId);
  return prefix === undefined ? {} : { prefix };
}

function gone(frameId: number): ToolError {
  return new ToolError(frameId === 0 ? "page-gone" : "frame-gone");
}

/** The frame that a call means, and its arguments as that frame takes them. */
export interface Meant {
  frame: Frame;
  values: Values;
}

/** The arguments that name a target. */
const TARGET_KEYS: readonly string[] = ["role", "name", "text"];

/** Finds the frame by the reference, by what fits there, or, for a call without a target, by the keyboard focus. */
export async function frameMeant(call: ToolCall, keys: readonly string[] = TARGET_KEYS): Promise<Meant> {
  const frames = await framesOf(call);
  const values = call.arguments;
  const ref = textOf(values, "ref");
  if (ref !== undefined) return byRef(frames, ref, values);
  const target = keys.filter((key) => values[key] !== undefined).map((key) => [key, values[key]]);
  const frame = target.length > 0 ? await frameThatFits(call, frames, Object.fromEntries(target)) : focusedOf(frames);
  return { frame: frame ?? mainOf(frames), values };
}

function focusedOf(frames: readonly Frame[]): Frame | undefined {
  return frames.find(({ focused }) => focused);
}

function byRef(frames: readonly Frame[], ref: string, values: Values): Meant {
  const parsed = parseRef(ref);
  if (parsed === null) throw new ToolError("bad-arguments", "this is not a ref of this page");
  const frame = frames.find(({ id }) => id === parsed.frameId);
  if (frame === undefined) throw new ToolError("frame-gone");
  return { frame, values: { ...values, ref: parsed.local } };
}

/** The one frame in which something fits; none when nothing fits anywhere, so that the main frame may say why. */
async function frameThatFits(call: ToolCall, frames: readonly Frame[], target: Values): Promise<Frame | undefined> {
  if (frames.length === 1) return frames[0];
  const exact = call.arguments["exact"] === true;
  const found = await findEverywhere(call, frames, { ...target, exact, limit: 10 });
  const hits = found.filter(({ total }) => total > 0);
  if (hits.length > 1) throw new ToolError("ambiguous", listed(hits.flatMap(({ candidates }) => candidates)));
  return hits[0]?.frame;
}

/** What fits in each frame; a frame that does not answer has nothing. */
export async function findEverywhere(
  call: ToolCall,
  frames: readonly Frame[],
  values: Values,
): Promise<(Found & { frame: Frame })[]> {
  return Promise.all(
    frames.map(async (frame) => {
      const run: Run = { tool: "page_find", values };
      const done = await runIn(call, frame.id, run).catch((error: unknown) => {
        // The main frame speaks for the page: what is wrong with the question is wrong everywhere.
        if (frame.id === 0 && !isNothing(error)) throw error;
        return undefined;
      });
      return { frame, ...(foundOf(done?.data) ?? { candidates: [], total: 0 }) };
    }),
  );
}

function isNothing(error: unknown): boolean {
  return error instanceof ToolError && error.code === "no-such-element";
}

/** Candidates as the model reads them, one a line. */
export function listed(candidates: readonly Candidate[]): string {
  return candidates
    .map(({ ref, role, name, offscreen }) => `${ref} ${role} "${redactText(name)}"${offscreen ? " (out of view)" : ""}`)
    .join("\n");
}

/** Asks the frame what a call would act on, and outlines it there. */
export async function aimAt(call: ToolCall, tool: FrameTool): Promise<Aim> {
  const { frame, values } = await frameMeant(call);
  const ask: ToolMessage = {
    kind: "sidewire-tool-target",
    call: call.id,
    tool,
    arguments: { ...values },
    ...prefixed(frame.id),
  };
  const answer = await call.world.frames.ask(call.tabId, frame.id, ask, call.signal);
  if (answer === undefined) throw gone(frame.id);
  const reply = targetReply(answer);
  if (reply === null) throw new ToolError("failed");
  if (!reply.ok) throw frameFailure(reply);
  const { role, name, secret, context, effect } = reply;
  return {
    ...placeOf(frame, call.url),
    ...(role !== PAGE_ROLE && { role }),
    ...(role !== PAGE_ROLE && name !== "" && { target: name }),
    ...(context !== undefined && { context }),
    ...(effect !== undefined && { action: effect }),
    secret,
    frameId: frame.id,
    values,
  };
}

/** What was allowed on a page covers no frame of another origin in it, and what was allowed there does not cover it here. */
function placeOf(frame: Frame, page: URL): Pick<Aim, "origin" | "site" | "page"> {
  if (frame.id === 0 || frame.origin === page.origin) return { origin: page.origin, site: page.host };
  // A sandboxed frame has no origin, and still comes from somewhere.
  const from = /^https?:/.test(frame.url) ? frame.url : frame.origin;
  return { origin: frame.origin, site: URL.parse(from)?.host || page.host, page: page.host };
}

function mainOf(frames: readonly Frame[]): Frame {
  const [main] = frames;
  if (main === undefined) throw new ToolError("unreadable-page");
  return main;
}
