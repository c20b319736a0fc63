/**
 * References as the model sees them: "kq12" in the main frame, "f3kq12" in frame 3.
 *
 * The two letters are the document's own, so that a reference from before a navigation means nothing afterwards. This is
 * the one place that takes references apart; they are given in `capture/page/refs.ts`.
 */

/** A reference, taken apart. */
export interface Ref {
  frameId: number;
  /** As the frame itself knows it. */
  local: string;
}

/** The form of a reference, as a schema says it. Numbers of frames have up to 16 digits: Firefox makes them of two others. */
export const REF_PATTERN = "^(?:f([0-9]{1,16}))?([a-z]{2}[0-9]{1,9})$";
const REF = new RegExp(REF_PATTERN);
const PREFIX = /^f\d{1,16}$/;

/** Takes a reference apart; null when it is none. */
export function parseRef(ref: string): Ref | null {
  const [, frame, local] = REF.exec(ref.trim()) ?? [];
  return local === undefined ? null : { frameId: frame === undefined ? 0 : Number(frame), local };
}

/** What stands before the references of a frame; nothing in the main one. */
export function prefixOf(frameId: number): string | undefined {
  return frameId === 0 ? undefined : `f${frameId}`;
}

/** True for what may stand before a reference. */
export function isPrefix(prefix: string): boolean {
  return PREFIX.test(prefix);
}
