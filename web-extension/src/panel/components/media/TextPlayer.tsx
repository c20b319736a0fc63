/** A timeline of texts. A text is shown as it is, never as anything else. */
import { useLayoutEffect, useMemo } from "preact/hooks";
import type { TextFrame } from "../../../media/descriptor";
import { timelineOf } from "../../../media/timeline";
import { usePlayback } from "../../media/use-playback";
import { altOf } from "../../media/words";
import { visibleText } from "../../visible-text";
import { PlayerBar } from "./PlayerBar";
import type { ViewProps } from "./view-props";

const FEWEST_LINES = 2;
const MOST_LINES = 12;

interface Props extends ViewProps {
  frames: readonly TextFrame[];
}

/** The texts with their controls. */
export function TextPlayer({ media, frames, active }: Props) {
  const { playback: wish } = media;
  const timeline = useMemo(
    () =>
      timelineOf(
        frames.map((frame) => frame.durationMs),
        wish.fpsCap,
      ),
    [frames, wish.fpsCap],
  );
  const lines = useMemo(() => linesOf(frames), [frames]);
  const playback = usePlayback(timeline, { autoplay: wish.autoplay, loop: wish.loop, active });
  const { index, setReady } = playback;
  useLayoutEffect(() => setReady(index), [index, setReady]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text has to be reachable by keyboard */}
      <section class="media-text" style={{ "--lines": lines }} dir="auto" aria-label={altOf(media)} tabIndex={0}>
        {visibleText(frames[index]?.text ?? "")}
      </section>
      <PlayerBar playback={playback} timeline={timeline} />
    </>
  );
}

/** Room for the longest text, within reason, so that nothing jumps from one to the next. */
function linesOf(frames: readonly TextFrame[]): number {
  const most = frames.reduce((count, { text }) => Math.max(count, text.split("\n").length), 0);
  return Math.min(MOST_LINES, Math.max(FEWEST_LINES, most));
}
