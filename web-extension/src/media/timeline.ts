/**
 * Which moment of a timeline is shown when. Pure: the clock is the caller's.
 *
 * Time runs as the description says; where moments are shorter than the highest rate allows, some are passed over rather
 * than everything slowed down.
 */

/** The moments of a timeline in time. */
export interface Timeline {
  /** When each begins, in milliseconds from the start. */
  starts: readonly number[];
  totalMs: number;
  /** The picture changes no more often than this. */
  stepMs: number;
}

/** The timeline of moments that last so long each. */
export function timelineOf(durations: readonly number[], fpsCap: number): Timeline {
  const starts: number[] = [];
  let totalMs = 0;
  for (const duration of durations) {
    starts.push(totalMs);
    totalMs += duration;
  }
  return { starts, totalMs, stepMs: 1000 / Math.min(60, Math.max(1, fpsCap)) };
}

/** The moment shown at a position; the last one at the end. */
export function frameAt({ starts }: Timeline, position: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** How long the picture at a position stays, at least. */
export function untilNext(timeline: Timeline, position: number): number {
  const next = timeline.starts[frameAt(timeline, position) + 1] ?? timeline.totalMs;
  return Math.max(timeline.stepMs, next - position);
}

/** Where playing has come to after some time, and whether it goes on. */
export function advance(
  { totalMs }: Timeline,
  position: number,
  elapsedMs: number,
  loop: boolean,
): { position: number; ended: boolean } {
  const reached = position + elapsedMs;
  if (reached < totalMs) return { position: reached, ended: false };
  return loop ? { position: reached % totalMs, ended: false } : { position: totalMs, ended: true };
}
