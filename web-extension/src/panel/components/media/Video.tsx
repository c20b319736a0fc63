/** A video: silent, with the browser's own controls. A large one is fetched only when it is asked for. */
import { useState } from "preact/hooks";
import type { MediaAsset, MediaDescriptor } from "../../../media/descriptor";
import { useAsset } from "../../media/use-asset";
import { useReducedMotion } from "../../media/use-reduced-motion";
import { altOf } from "../../media/words";
import { Failure, LoadButton, Progress, Stage } from "./Stage";
import type { ViewProps } from "./view-props";

interface Props extends ViewProps {
  asset: MediaAsset;
}

/** The video. */
export function Video({ media, asset, near }: Props) {
  const [broken, setBroken] = useState("");
  const [file, retry] = useAsset(asset, near);
  const [poster] = useAsset(media.poster, near);
  const still = poster.state === "ready" ? poster.url : undefined;
  if (file.state === "ready" && broken !== file.url) {
    return (
      <Stage media={media}>
        <Player media={media} url={file.url} poster={still} asked={file.asked} broke={() => setBroken(file.url)} />
      </Stage>
    );
  }
  return (
    <Stage media={media}>
      {still !== undefined && file.state !== "failed" && <img class="media-picture" src={still} alt={altOf(media)} />}
      {file.state === "loading" && <Progress media={media} loaded={file.loaded} bytes={asset.bytes} />}
      {file.state === "failed" && <Failure media={media} fault={file.fault} retry={retry} />}
      {file.state === "ready" && <Failure media={media} fault="magic" retry={() => setBroken("")} />}
      {file.state === "unasked" && <LoadButton bytes={asset.bytes} load={file.load} />}
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
