/** References as the model sees them: "e12" in the main frame, "f3e12" in frame 3. */

/** A reference, taken apart. */
export interface Ref {
  frameId: number;
  /** As the frame itself knows it. */
  local: string;
}

const REF = /^(?:f(\d{1,9}))?(e\d{1,9})$/;

/** Takes a reference apart; null when it is none. */
export function parseRef(ref: string): Ref | null {
  const [, frame, local] = REF.exec(ref) ?? [];
  return local === undefined ? null : { frameId: frame === undefined ? 0 : Number(frame), local };
}

/** What stands before the references of a frame; nothing in the main one. */
export function prefixOf(frameId: number): string | undefined {
  return frameId === 0 ? undefined : `f${frameId}`;
}
