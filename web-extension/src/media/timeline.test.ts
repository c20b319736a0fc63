import { describe, expect, it } from "vitest";
import { advance, frameAt, timelineOf, untilNext } from "./timeline";

const line = timelineOf([100, 50, 200], 20);

describe("a timeline", () => {
  it.each([
    [0, 0],
    [99, 0],
    [100, 1],
    [149, 1],
    [150, 2],
    [350, 2],
    [9999, 2],
  ])("shows at %i ms moment %i", (position, index) => expect(frameAt(line, position)).toBe(index));

  it("waits until the next moment", () => {
    expect(untilNext(line, 30)).toBe(70);
    expect(untilNext(line, 150)).toBe(200);
  });

  it.each([
    [0, 1000],
    [1, 1000],
    [10, 100],
    [60, 1000 / 60],
    [500, 1000 / 60],
  ])("with a cap of %f a second changes no sooner than after %f ms", (cap, step) => {
    const fast = timelineOf(
      Array.from({ length: 100 }, () => 1),
      cap,
    );
    expect(untilNext(fast, 0)).toBe(step);
  });

  it("keeps its pace when it passes moments over", () => {
    const fast = timelineOf(
      Array.from({ length: 100 }, () => 10),
      10,
    );
    const { position } = advance(fast, 0, untilNext(fast, 0), false);
    expect(frameAt(fast, position)).toBe(10);
  });

  it("ends at its end, or begins again", () => {
    expect(advance(line, 340, 20, false)).toEqual({ position: 350, ended: true });
    expect(advance(line, 340, 20, true)).toEqual({ position: 10, ended: false });
    expect(advance(line, 340, 720, true)).toEqual({ position: 10, ended: false });
  });
});
