/** Media of a turn as a card of fixed proportions, with its words below. Which view fits is decided here. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import {
  framesOf,
  isPicture,
  isPictureFrame,
  isTextFrame,
  isVideo,
  type MediaDescriptor,
} from "../../../media/descriptor";
import { useNear } from "../../media/use-near";
import { altOf } from "../../media/words";
import { Animation } from "./Animation";
import { Caption } from "./Caption";
import { Picture } from "./Picture";
import { RasterPlayer } from "./RasterPlayer";
import { TextFile } from "./TextFile";
import { TextPlayer } from "./TextPlayer";
import { Video } from "./Video";

/** The card. */
export function MediaRow({ media }: { media: MediaDescriptor }) {
  const card = useRef<HTMLElement>(null);
  const near = useNear(card);
  return (
    <figure class={`media media-${media.kind}`} ref={card} data-media={media.id} aria-label={altOf(media)}>
      {viewOf(media, near)}
      <Caption media={media} />
    </figure>
  );
}

function viewOf(media: MediaDescriptor, near: boolean): ComponentChildren {
  const { kind, original, poster } = media;
  const timeline = framesOf(media);
  if (kind === "text-timeline") {
    if (timeline.length > 0) return <TextPlayer media={media} frames={timeline.filter(isTextFrame)} near={near} />;
    return original === undefined ? null : <TextFile media={media} asset={original} near={near} />;
  }
  if (isVideo(original)) return <Video media={media} asset={original} near={near} />;
  if (kind === "animation" && isPicture(original)) return <Animation media={media} asset={original} near={near} />;
  if (kind === "image" && isPicture(original)) return <Picture media={media} asset={original} near={near} />;
  const frames = timeline.filter(isPictureFrame);
  if (frames.length > 0) return <RasterPlayer media={media} frames={frames} near={near} />;
  return isPicture(poster) ? <Picture media={media} asset={poster} near={near} /> : null;
}
