/** A video: silent, with the browser's own controls. A large one is fetched only when it is asked for. */
import { useState } from "preact/hooks";
import type { MediaAsset, MediaDescriptor } from "../../../media/descriptor";
import { formatBytes } from "../../format";
import { t } from "../../i18n";
import { useAsset } from "../../media/use-asset";
import { useReducedMotion } from "../../media/use-reduced-motion";
import { altOf } from "../../media/words";
import { Icon } from "../Icon";
import { Failure, Progress, Stage } from "./Stage";
import type { ViewProps } from "./view-props";

/** More than this is not fetched for what may never be played. */
const UNASKED_BYTES = 12 * 1024 * 1024;

interface Props extends ViewProps {
  asset: MediaAsset;
}

/** The video. */
export function Video({ media, asset, near }: Props) {
  const [asked, setAsked] = useState(false);
  const [broken, setBroken] = useState("");
  const wanted = near && (asked || asset.bytes <= UNASKED_BYTES);
  const [file, retry] = useAsset(asset, wanted);
  const [poster] = useAsset(media.poster, near);
  const still = poster.state === "ready" ? poster.url : undefined;
  if (file.state === "ready" && broken !== file.url) {
    return (
      <Stage media={media}>
        <Player media={media} url={file.url} poster={still} asked={asked} broke={() => setBroken(file.url)} />
      </Stage>
    );
  }
  return (
    <Stage media={media}>
      {still !== undefined && file.state !== "failed" && <img class="media-picture" src={still} alt={altOf(media)} />}
      {file.state === "loading" && <Progress media={media} loaded={file.loaded} bytes={asset.bytes} />}
      {file.state === "failed" && <Failure media={media} fault={file.fault} retry={retry} />}
      {file.state === "ready" && <Failure media={media} fault="magic" retry={() => setBroken("")} />}
      {!wanted && near && <LoadButton bytes={asset.bytes} load={() => setAsked(true)} />}
    </Stage>
  );
}

interface PlayerProps {
  media: MediaDescriptor;
  url: string;
  poster: string | undefined;
  /** The person pressed to see it. */
  asked: boolean;
  broke: () => void;
}

function Player({ media: { playback, ...media }, url, poster, asked, broke }: PlayerProps) {
  const reduced = useReducedMotion();
  return (
    <video
      class="media-picture"
      src={url}
      aria-label={altOf(media)}
      controls
      muted
      playsInline
      disablePictureInPicture
      disableRemotePlayback
      loop={playback.loop}
      autoPlay={asked || (playback.autoplay && !reduced)}
      {...(poster !== undefined && { poster })}
      onError={broke}
    />
  );
}

function LoadButton({ bytes, load }: { bytes: number; load: () => void }) {
  return (
    <button type="button" class="media-load" onClick={load}>
      <span class="media-load-mark">
        <Icon name="play" />
      </span>
      {t("mediaLoadVideo", formatBytes(bytes))}
    </button>
  );
}
