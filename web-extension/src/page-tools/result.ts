/** Brings a result into the bounds of the wire: well-formed text of at most 64 KiB, images as they are. */
import { utf8Length } from "../shared/text";
import type { Block } from "./tool";

/** Bytes of all texts of a result. */
export const RESULT_TEXT_MAX = 65_536;
const CUT = "\n[the rest was cut]";

/** The `result` of a `host_tool_result`. */
export function bounded(blocks: readonly Block[]): { content: Block[] } {
  let room = RESULT_TEXT_MAX;
  const content = blocks.map((block): Block => {
    if (block.type !== "text") return block;
    const whole = block.text.toWellFormed();
    const bytes = utf8Length(whole);
    if (bytes <= room) {
      room -= bytes;
      return { type: "text", text: whole };
    }
    const kept = firstBytes(whole, Math.max(0, room - CUT.length)) + CUT;
    room = 0;
    return { type: "text", text: kept };
  });
  return { content };
}

/** The longest beginning of a text that has at most so many bytes in UTF-8. */
function firstBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
