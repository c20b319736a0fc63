/** What a tool gets to work with, and what a tool is. */
import type { Effect, FrameDone, FrameTool } from "../messages";
import type { Arguments } from "./arguments";
import { ToolFault } from "./fault";
import type { Marks } from "./marks";

/** One running call. */
export interface Job {
  view: Window;
  args: Arguments;
  /** Put before references in answers: "f3" in a frame, "" in the main one. */
  prefix: string;
  /** Ends with the call; its reason is the fault to answer with. */
  signal: AbortSignal;
  mayTypeSecrets: boolean;
  /** What it acts on; null where the call names nothing. */
  target: Element | null;
  /** Throws unless the target is still what the person was asked about. To be called right before acting. */
  check(): void;
  marks: Marks;
}

/** A tool that runs in this frame. */
export interface PageTool {
  /** Whether a call must, may or does not name an element. */
  target: "one" | "maybe" | "none";
  /** Acts on the page: the target is outlined while it runs. */
  acts?: true;
  /** Only draws over the page: what cannot be drawn is skipped and never fails a turn. */
  decorates?: true;
  /** Its argument "text" is what to draw, and no part of the locator. */
  ownText?: true;
  /** Longest time it may take, in milliseconds. */
  limit: number | ((args: Arguments) => number);
  /** What a call acts on that names nothing. */
  implied?(view: Window): Element;
  /** Refuses, before the person is asked, what could not be done anyway; gives the element it would be done to. */
  examine?(element: Element, args: Arguments): Element;
  /** What a call comes to, where that is another kind of action than the tool says. */
  effect?(element: Element, args: Arguments): Effect | undefined;
  run(job: Job): FrameDone | Promise<FrameDone>;
}

/** The table of all tools. */
export type PageTools = Readonly<Record<FrameTool, PageTool>>;

/** The target of a tool that must have one. */
export function targetOf(job: Job): Element {
  if (job.target === null) throw new ToolFault("bad-arguments", "say what to act on: a ref, or role and name");
  return job.target;
}

/** An answer with text for the model. */
export function done(...lines: readonly string[]): FrameDone {
  return { ok: true, text: lines.filter((line) => line !== "").join("\n") };
}
