/**
 * A picture that moves by itself. An `img` cannot be paused, so while it stands still the first picture of the file is
 * drawn instead.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import type { MediaAsset, MediaDescriptor } from "../../../media/descriptor";
import { t } from "../../i18n";
import { useAsset } from "../../media/use-asset";
import { useReducedMotion } from "../../media/use-reduced-motion";
import { altOf } from "../../media/words";
import { IconButton } from "../IconButton";
import { Failure, LoadButton, Progress, Stage } from "./Stage";
import type { ViewProps } from "./view-props";

interface Props extends ViewProps {
  asset: MediaAsset;
}

/** The animation with its play button. */
export function Animation({ media, asset, near }: Props) {
  const { playback, durationMs } = media;
  const reduced = useReducedMotion();
  const [file, retry] = useAsset(asset, near);
  const [playing, setPlaying] = useState(playback.autoplay && !reduced);
  const [broken, setBroken] = useState("");
  useEffect(() => {
    if (reduced) setPlaying(false);
  }, [reduced]);
  const ready = file.state === "ready";
  // The file may repeat itself for ever; what was said about it counts.
  const endsAfter = playing && ready && !playback.loop ? durationMs : undefined;
  useEffect(() => {
    if (endsAfter === undefined) return;
    const timer = setTimeout(() => setPlaying(false), endsAfter);
    return () => clearTimeout(timer);
  }, [endsAfter]);
  const shown = ready && broken !== file.url;
  return (
    <>
      <Stage media={media}>
        {file.state === "unasked" && <LoadButton bytes={asset.bytes} load={file.load} />}
        {file.state === "loading" && <Progress media={media} loaded={file.loaded} bytes={asset.bytes} />}
        {file.state === "failed" && <Failure media={media} fault={file.fault} retry={retry} />}
        {ready && !shown && <Failure media={media} fault="magic" retry={() => setBroken("")} />}
        {shown && playing && (
          <img class="media-picture" src={file.url} alt={altOf(media)} onError={() => setBroken(file.url)} />
        )}
        {shown && !playing && <Still media={media} blob={file.blob} broke={() => setBroken(file.url)} />}
      </Stage>
      {shown && (
        <div class="player-bar">
          <IconButton
            icon={playing ? "pause" : "play"}
            label={playing ? t("mediaPause") : t("mediaPlay")}
            onClick={() => setPlaying(!playing)}
          />
        </div>
      )}
    </>
  );
}

/** The first picture of a file that moves. */
function Still({ media, blob, broke }: { media: MediaDescriptor; blob: Blob; broke: () => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const life = new AbortController();
    draw(canvas.current, blob, life.signal).catch(() => !life.signal.aborted && broke());
    return () => life.abort();
  }, [blob]);
  return <canvas class="media-picture" ref={canvas} role="img" aria-label={altOf(media)} />;
}

async function draw(canvas: HTMLCanvasElement | null, blob: Blob, signal: AbortSignal): Promise<void> {
  const picture = await createImageBitmap(blob);
  if (canvas !== null && !signal.aborted) {
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext("2d")?.drawImage(picture, 0, 0);
  }
  picture.close();
}
