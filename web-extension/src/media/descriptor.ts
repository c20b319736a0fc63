/**
 * What a worker says about a picture, a video or a timeline: read through the contract's own validator, then checked for
 * what a schema cannot say. What does not hold together is not shown. It fetches nothing.
 */
import type { ChatMedia } from "../contract/types";
import { isChatMedia } from "../contract/validators.generated";

/** A description of media that may be shown. */
export type MediaDescriptor = ChatMedia["media"];

/** One file of it. */
export type MediaAsset = NonNullable<MediaDescriptor["original"]>;

/** One moment of a timeline. */
export type MediaFrame = NonNullable<MediaDescriptor["timeline"]>[number];

/** A moment that shows a picture. */
export type PictureFrame = Extract<MediaFrame, { asset: MediaAsset }>;

/** A moment that shows a text. */
export type TextFrame = Extract<MediaFrame, { text: string }>;

/** The moments of a description, as a list of any length. */
export function framesOf({ timeline }: MediaDescriptor): readonly MediaFrame[] {
  return timeline ?? [];
}

/** Largest file that is ever asked for; the worker stores none that is larger. */
export const MAX_ASSET_BYTES = 100 * 1024 * 1024;

/** Most moments of a timeline, as the worker bounds them. */
const MAX_FRAMES = 720;

const judged = new WeakMap<object, MediaDescriptor | null>();

/** The description in a turn's record, or null when it cannot be trusted. An object is judged once. */
export function mediaOf(value: object): MediaDescriptor | null {
  const known = judged.get(value);
  if (known !== undefined) return known;
  const verdict = judge(value);
  judged.set(value, verdict);
  return verdict;
}

/** Every file of a description, each once: original, poster, then the timeline. */
export function assetsOf(media: MediaDescriptor): MediaAsset[] {
  return [...new Map(everyAsset(media).map((asset) => [asset.ref, asset])).values()];
}

/** True for a file that an `img` element shows. */
export function isPicture(asset: MediaAsset | undefined): asset is MediaAsset {
  return asset?.mimeType.startsWith("image/") === true;
}

/** True for a file that a `video` element plays. */
export function isVideo(asset: MediaAsset | undefined): asset is MediaAsset {
  return asset?.mimeType === "video/mp4";
}

/** True for a file of plain text. */
export function isText(asset: MediaAsset | undefined): asset is MediaAsset {
  return asset?.mimeType === "text/plain";
}

/** True for a moment that shows a picture. */
export function isPictureFrame(frame: MediaFrame): frame is PictureFrame {
  return "asset" in frame && isPicture(frame.asset);
}

/** True for a moment that shows a text. */
export function isTextFrame(frame: MediaFrame): frame is TextFrame {
  return "text" in frame;
}

function judge(value: object): MediaDescriptor | null {
  // The validator is made for the frame; the turn it belongs to is known from where it was found.
  const frame: unknown = { type: "chat_media", id: "c-0", media: value };
  if (!isChatMedia(frame)) return null;
  const { media } = frame;
  return (media.timeline?.length ?? 0) <= MAX_FRAMES && filesAgree(media) && fitsKind(media) ? media : null;
}

/** One hash is one file: it cannot have two sizes or two types. */
function filesAgree(media: MediaDescriptor): boolean {
  const known = new Map(assetsOf(media).map((asset) => [asset.ref, asset]));
  return everyAsset(media).every(({ ref, bytes, mimeType }) => {
    const same = known.get(ref);
    return same?.bytes === bytes && same.mimeType === mimeType;
  });
}

function everyAsset(media: MediaDescriptor): MediaAsset[] {
  const frames = framesOf(media).map((frame) => ("asset" in frame ? frame.asset : undefined));
  return [media.original, media.poster, ...frames].filter((asset) => asset !== undefined);
}

/** There is something to show of the kind that is promised. */
function fitsKind(media: MediaDescriptor): boolean {
  const { kind, original, poster } = media;
  const timeline = framesOf(media);
  if (poster !== undefined && !isPicture(poster)) return false;
  switch (kind) {
    case "image":
      return original === undefined ? poster !== undefined : isPicture(original);
    case "video":
      return (original === undefined || isVideo(original)) && timeline.every(isPictureFrame);
    case "animation":
      return !isText(original) && timeline.every(isPictureFrame);
    case "raster-timeline":
      return timeline.length > 0 && timeline.every(isPictureFrame);
    case "text-timeline":
      return timeline.every(isTextFrame) && (timeline.length > 0 || isText(original));
  }
}
