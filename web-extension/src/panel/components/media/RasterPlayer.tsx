/** A timeline of pictures. */
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { PictureFrame } from "../../../media/descriptor";
import { timelineOf } from "../../../media/timeline";
import { useAsset } from "../../media/use-asset";
import { useFrames } from "../../media/use-frames";
import { usePlayback } from "../../media/use-playback";
import { altOf } from "../../media/words";
import { PlayerBar } from "./PlayerBar";
import { Failure, Progress, Stage } from "./Stage";
import type { ViewProps } from "./view-props";

interface Props extends ViewProps {
  frames: readonly PictureFrame[];
}

/** The pictures with their controls. */
export function RasterPlayer({ media, frames, near, active }: Props) {
  const { playback: wish, poster } = media;
  const assets = useMemo(() => frames.map((frame) => frame.asset), [frames]);
  const timeline = useMemo(() => timelineOf(durationsOf(frames), wish.fpsCap), [frames, wish.fpsCap]);
  const playback = usePlayback(timeline, { autoplay: wish.autoplay, loop: wish.loop, active });
  const { index, setReady } = playback;
  const shown = useFrames(assets, index, near);
  const [still] = useAsset(poster, near);
  useLayoutEffect(() => setReady(shown.url === null ? null : index), [shown.url, index, setReady]);
  // The picture before stays until the next is there: no gap is ever seen.
  const last = useRef<string | null>(null);
  last.current = shown.url ?? last.current ?? (still.state === "ready" ? still.url : null);
  const bytes = assets[index]?.bytes ?? 1;
  return (
    <>
      <Stage media={media}>
        {last.current !== null && shown.fault === null && (
          <img class="media-picture" src={last.current} alt={altOf(media)} />
        )}
        {shown.url === null && last.current === null && shown.fault === null && near && (
          <Progress media={media} loaded={shown.loaded} bytes={bytes} />
        )}
        {shown.fault !== null && <Failure media={media} fault={shown.fault} retry={shown.retry} />}
      </Stage>
      <PlayerBar playback={playback} timeline={timeline} />
    </>
  );
}

function durationsOf(frames: readonly PictureFrame[]): number[] {
  return frames.map((frame) => frame.durationMs);
}
