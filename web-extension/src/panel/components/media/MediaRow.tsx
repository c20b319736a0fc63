/** Media of a turn as a card of fixed proportions, with its words below. Which view fits is decided here. */
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
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
import type { ViewProps } from "./view-props";

/** The card. */
export function MediaRow({ media }: { media: MediaDescriptor }) {
  const card = useRef<HTMLElement>(null);
  const { near, reached } = useNear(card);
  // An answer that grows draws its rows again and again; what plays must not notice.
  const view = useMemo(() => viewOf({ media, near: reached, active: near }), [media, reached, near]);
  return (
    <figure class={`media media-${media.kind}`} ref={card} data-media={media.id} aria-label={altOf(media)}>
      {view}
      <Caption media={media} />
    </figure>
  );
}

function viewOf(props: ViewProps): ComponentChildren {
  const { kind, original, poster } = props.media;
  const timeline = framesOf(props.media);
  if (kind === "text-timeline") {
    if (timeline.length > 0) return <TextPlayer {...props} frames={timeline.filter(isTextFrame)} />;
    return original === undefined ? null : <TextFile {...props} asset={original} />;
  }
  if (isVideo(original)) return <Video {...props} asset={original} />;
  if (kind === "animation" && isPicture(original)) return <Animation {...props} asset={original} />;
  if (kind === "image" && isPicture(original)) return <Picture {...props} asset={original} />;
  const frames = timeline.filter(isPictureFrame);
  if (frames.length > 0) return <RasterPlayer {...props} frames={frames} />;
  return isPicture(poster) ? <Picture {...props} asset={poster} /> : null;
}
