import { describe, expect, it } from "vitest";
import { assetsOf, mediaOf } from "./descriptor";

const ref = (letter: string) => `blob:sha256:${letter.repeat(64)}`;
const png = (letter: string) => ({ ref: ref(letter), mimeType: "image/png", bytes: 3 });

const image = {
  version: 1,
  id: `media_${"a".repeat(24)}`,
  kind: "image",
  original: png("a"),
  provenance: { sourceType: "tool", source: "display_media" },
  playback: { autoplay: false, loop: false, muted: true, fpsCap: 12 },
};

const raster = {
  ...image,
  kind: "raster-timeline",
  timeline: [
    { asset: png("c"), durationMs: 10 },
    { asset: png("a"), durationMs: 10 },
  ],
};

describe("a description is shown", () => {
  it("when it is one of the contract", () => {
    expect(mediaOf(image)).toBe(image);
    expect(mediaOf(raster)).toBe(raster);
  });

  it("and names its files in order: original, poster, timeline, each once", () => {
    const media = mediaOf({ ...raster, poster: png("b") });
    expect(media === null ? [] : assetsOf(media).map((asset) => asset.ref)).toEqual([ref("a"), ref("b"), ref("c")]);
  });
});

describe("a description is not shown", () => {
  it.each<[string, object]>([
    ["with a key the contract does not know", { ...image, html: "<b>" }],
    ["of an unknown kind", { ...image, kind: "html" }],
    ["with a type that could run", { ...image, original: { ...png("a"), mimeType: "image/svg+xml" } }],
    ["with an empty file", { ...image, original: { ...png("a"), bytes: 0 } }],
    ["without anything to show", { ...image, original: undefined }],
    ["with a source that is no https address", { ...image, provenance: { sourceType: "url", source: "file:///etc" } }],
    ["with a path for a name", { ...image, filenameHint: "../x.png" }],
    ["that would sound", { ...image, playback: { ...image.playback, muted: false } }],
    ["whose one hash has two sizes", { ...image, poster: { ...png("a"), bytes: 4 } }],
    ["whose picture is a video", { ...image, original: { ...png("a"), mimeType: "video/mp4" } }],
    ["whose video is a picture", { ...image, kind: "video" }],
    ["whose poster is a text", { ...image, poster: { ...png("b"), mimeType: "text/plain" } }],
    ["whose series of pictures has none", { ...image, kind: "raster-timeline" }],
    ["whose series of pictures holds a text", { ...raster, timeline: [{ text: "x", durationMs: 1 }] }],
    ["whose series of texts holds a picture", { ...raster, kind: "text-timeline" }],
    [
      "with more moments than a worker makes",
      { ...raster, timeline: Array.from({ length: 721 }, () => ({ asset: png("a"), durationMs: 1 })) },
    ],
  ])("%s", (_name, value) => {
    expect(mediaOf(value)).toBeNull();
  });
});
