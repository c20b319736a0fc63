/** Has every readable frame cover, before a picture is taken, what a reading would hide; no cover, no picture. */
import { within } from "../shared/within";
import { ToolError } from "./errors";
import { FRAMES_MAX } from "./frames";
import { coverReply } from "./messages";
import type { ToolCall } from "./tool";

/** A frame looks its secrets up, and draws; one that takes longer keeps the picture from being taken. */
const COVER_MS = 3_000;

/** What is covered on a page. */
export interface Covered {
  places: number;
  /** The same places were covered since the call asked last. */
  steady: boolean;
}

/** Asks all readable frames to cover their secrets; fails where one cannot say that it has. */
export async function coverSecrets(call: ToolCall): Promise<Covered> {
  const frames = await call.world.frames.all(call.tabId);
  if (frames.length >= FRAMES_MAX) throw new ToolError("failed", "the page has too many frames to hide their secrets");
  const each = await Promise.all(frames.map(({ id }) => coverFrame(call, id)));
  return {
    places: each.reduce((sum, { places }) => sum + places, 0),
    steady: each.every(({ steady }) => steady),
  };
}

async function coverFrame({ id, tabId, world }: ToolCall, frameId: number): Promise<Covered> {
  const asked = world.frames.ask(tabId, frameId, { kind: "sidewire-tool-cover", call: id });
  const reply = coverReply(await within<unknown>(COVER_MS, asked, undefined));
  if (reply?.ok !== true) throw new ToolError("failed", reasonOf(reply?.detail));
  return { places: reply.covered, steady: reply.steady };
}

function reasonOf(detail = "a part of the page did not answer in time"): string {
  return `secrets on the page could not be covered: ${detail}`;
}

/** Takes the covers away, whatever has become of the picture. */
export function uncover({ id, tabId, world }: ToolCall): void {
  world.frames.tell(tabId, { kind: "sidewire-tool-end", call: id });
}
