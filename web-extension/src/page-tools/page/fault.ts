/** Why a tool of this frame refused or gave up; becomes the answer to the service worker. */
import type { FrameCode, FrameError } from "../messages";

/** A refusal with a code of the closed list; `detail` is plain words for the model, never page script. */
export class ToolFault extends Error {
  override name = "ToolFault";
  readonly code: FrameCode;
  readonly detail: string;

  constructor(code: FrameCode, detail = "") {
    super(code);
    this.code = code;
    this.detail = detail;
  }
}

/** The answer for whatever was thrown. What was not thrown on purpose says nothing of its inside. */
export function refusal(thrown: unknown): FrameError {
  if (!(thrown instanceof ToolFault)) return { ok: false, code: "failed" };
  const { code, detail } = thrown;
  return detail === "" ? { ok: false, code } : { ok: false, code, detail };
}
