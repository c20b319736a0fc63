/** What a page tool is: one declaration, run on the one guarded path of `guard.ts`. */

import type { ActionKind } from "../bridge/panel-port";
import type { CaptureResult, PageState } from "../capture/api";
import type { FrameAccess } from "./frames";
import type { Policy } from "./policy";
import type { ArgumentsSchema } from "./schema";
import type { PageCamera } from "./screenshot";

/** A piece of a result. */
export type Block = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

/** The browser as tools see it; tests put a scripted one in its place. */
export interface PageWorld {
  frames: FrameAccess;
  camera: PageCamera;
  policy(): Promise<Policy>;
  captureTab(tabId: number): Promise<CaptureResult>;
  pageStateOf(tabId: number): Promise<PageState>;
}

/** One call, as a tool sees it. */
export interface ToolCall {
  readonly id: string;
  readonly tabId: number;
  /** Checked against the tool's schema. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Ends with the call: cancelled, stopped, or out of time. */
  readonly signal: AbortSignal;
  readonly world: PageWorld;
  /** Address of the page when the call was let in. */
  readonly url: URL;
  /** The page moved within its site because the tool took it there. */
  moved(origin: string): void;
}

/** What an acting call would do, as far as it can be known without doing it. */
export interface Aim {
  /** Origin that is acted on: the frame's, where the target is in a frame. "null" where a frame has none. */
  origin: string;
  /** Host to name to the person. */
  site: string;
  /** Host of the page around a frame of another origin, where no lasting answer counts. */
  page?: string;
  /** Name of the target as the page shows it, or the address to go to; absent where it has none. */
  target?: string;
  /** What kind of thing the target is; absent where the call acts on the page as a whole. */
  role?: string;
  /** Where on the page it is, as far as names tell: its row, group or dialog. */
  context?: string;
  /** What the person is asked for, where the call comes to another kind of action than its tool says. */
  action?: ActionKind;
  /** What would be typed, chosen or pressed. */
  value?: string;
  /** A password field: asked each time. */
  secret: boolean;
  /** The frame that acts; 0 where no frame does. */
  frameId: number;
  /** The arguments as the frame takes them. */
  values: Readonly<Record<string, unknown>>;
}

interface Declared {
  name: string;
  /** For the model. */
  description: string;
  parameters: ArgumentsSchema;
  /** How long it may take by itself; waiting for the person is not part of it. */
  timeoutMs?(values: Readonly<Record<string, unknown>>): number;
}

/** A tool that reads the page or draws over it: covered by the context switch of the panel. */
export interface LookingTool extends Declared {
  does: "read" | "show";
  run(call: ToolCall): Promise<Block[]>;
}

/** A tool that changes something: the person is asked (decision 28). */
export interface ActingTool extends Declared {
  does: "act";
  action: ActionKind;
  /** Finds what the call would act on, without acting. */
  aim(call: ToolCall): Promise<Aim>;
  run(call: ToolCall, aim: Aim): Promise<Block[]>;
}

export type PageTool = LookingTool | ActingTool;

/** A result of one text. */
export function text(value: string): Block[] {
  return [{ type: "text", text: value }];
}

/** Reads a text among checked arguments. */
export function textOf(values: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** Reads a number among checked arguments. */
export function numberOf(values: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = values[name];
  return typeof value === "number" ? value : undefined;
}
