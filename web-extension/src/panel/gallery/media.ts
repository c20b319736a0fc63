/** Media for the gallery: files made on the spot, and a worker that reads them out in parts, well or badly. */
import { type MediaAsset, type MediaDescriptor, mediaOf } from "../../media/descriptor";
import { bytesOf, hexOf } from "../../shared/bytes";
import { GIF, MP4 } from "./files";

/** How the scripted worker answers a read. */
export type MediaMode = "well" | "half" | "refused" | "lost" | "damaged";

const CHUNK = 262_144;
const files = new Map<string, { mimeType: MediaAsset["mimeType"]; bytes: Uint8Array }>();

/** The part of a file from `offset` on, as the worker would send it; null when it would refuse or stay silent. */
export function chunkOf(ref: string, offset: number, mode: MediaMode) {
  const file = files.get(ref);
  if (file === undefined || mode === "refused" || mode === "lost") return null;
  const end = Math.min(offset + CHUNK, file.bytes.length);
  const part = file.bytes.slice(offset, end);
  if (mode === "damaged") part[0] = 0;
  return {
    ref,
    mimeType: file.mimeType,
    offset,
    nextOffset: end,
    eof: end === file.bytes.length,
    bytes: part.length,
    data: btoa(Array.from(part, (byte) => String.fromCharCode(byte)).join("")),
  };
}

async function keep(bytes: Uint8Array<ArrayBuffer>, mimeType: MediaAsset["mimeType"]): Promise<MediaAsset> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const ref = `blob:sha256:${hexOf(digest)}`;
  files.set(ref, { mimeType, bytes });
  return { ref, mimeType, bytes: bytes.length };
}

type Draw = (pen: OffscreenCanvasRenderingContext2D, width: number, height: number) => void;

async function png(width: number, height: number, draw: Draw): Promise<MediaAsset> {
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext("2d");
  if (pen === null) throw new Error("no canvas");
  draw(pen, width, height);
  const blob = await canvas.convertToBlob({ type: "image/png" });
  return keep(new Uint8Array(await blob.arrayBuffer()), "image/png");
}

/** Something like a page of a console. */
const drawConsole: Draw = (pen, width, height) => {
  const fill = (colour: string, ...box: [number, number, number, number]) => {
    pen.fillStyle = colour;
    pen.fillRect(...box);
  };
  fill("#f4f6fb", 0, 0, width, height);
  fill("#1d2a55", 0, 0, width, 44);
  fill("#e3e8f6", 0, 44, 200, height - 44);
  for (let line = 0; line < 9; line += 1) fill("#b9c3e2", 24, 80 + line * 40, 110 + (line % 3) * 20, 12);
  fill("#ffffff", 232, 76, width - 264, height - 108);
  fill("#3a4fd0", 264, 108, 180, 20);
  for (let row = 0; row < 7; row += 1) {
    fill("#eef1f8", 264, 160 + row * 48, width - 328, 1);
    fill("#8b95b5", 264, 176 + row * 48, 160, 12);
    fill("#c9d1ea", 520, 176 + row * 48, 220 + (row % 2) * 60, 12);
    fill(row === 2 ? "#d05a3a" : "#3aa06a", width - 120, 174 + row * 48, 48, 16);
  }
};

/** Noise does not compress, so the file has several parts. */
const drawNoise: Draw = (pen, width, height) => {
  const picture = pen.createImageData(width, height);
  let seed = 1;
  for (let index = 0; index < picture.data.length; index += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    picture.data[index] = index % 4 === 3 ? 255 : seed / 8_388_608;
  }
  pen.putImageData(picture, 0, 0);
};

const drawStep =
  (step: number): Draw =>
  (pen, width, height) => {
    drawConsole(pen, width, height);
    pen.strokeStyle = "#d0363a";
    pen.lineWidth = 6;
    pen.strokeRect(252, 164 + step * 48, width - 300, 36);
  };

const PLAYBACK = { autoplay: false, loop: false, muted: true, fpsCap: 12 } as const;
let counted = 0;

function describe(changes: Partial<MediaDescriptor> & Pick<MediaDescriptor, "kind">): MediaDescriptor {
  counted += 1;
  const media = {
    version: 1,
    id: `media_${String(counted).padStart(24, "0")}`,
    provenance: { sourceType: "tool", source: "page_screenshot" },
    playback: PLAYBACK,
    ...changes,
  };
  const checked = mediaOf(media);
  if (checked === null) throw new Error("the gallery's own media is not valid");
  return checked;
}

const picture = async (changes: Partial<MediaDescriptor> = {}) =>
  describe({
    kind: "image",
    width: 1280,
    height: 720,
    original: await png(1280, 720, drawConsole),
    alt: "List of load balancers, one of them with a warning",
    caption: "The load balancer lb3 reports an unhealthy origin.",
    filenameHint: "load-balancers.png",
    ...changes,
  });

/** What each scene shows. */
export const MEDIA = {
  image: () => picture(),
  plain: () => picture({ alt: "", caption: "", width: 400, height: 1600 }),
  large: async () => picture({ width: 900, height: 420, original: await png(900, 420, drawNoise), alt: "Heat map" }),
  video: async () =>
    describe({
      kind: "video",
      width: 320,
      height: 180,
      durationMs: 1700,
      original: await keep(bytesOf(MP4), "video/mp4"),
      caption: "How the form is filled in.",
      filenameHint: "form.mp4",
      provenance: { sourceType: "url", source: "https://docs.example.com/videos/form.mp4" },
    }),
  animation: async () =>
    describe({
      kind: "animation",
      width: 96,
      height: 54,
      durationMs: 1500,
      original: await keep(bytesOf(GIF), "image/gif"),
      alt: "A form fills itself",
      playback: { ...PLAYBACK, autoplay: true, loop: true },
      degradation: "FFmpeg is not installed, so the single pictures are not available.",
      provenance: { sourceType: "tool", source: "display_media" },
    }),
  raster: async () => {
    const steps = await Promise.all([0, 1, 2, 3, 4].map((step) => png(960, 540, drawStep(step))));
    const [first, ...rest] = steps.map((asset) => ({ asset, durationMs: 400 }));
    if (first === undefined) throw new Error("no steps");
    return describe({
      kind: "raster-timeline",
      width: 960,
      height: 540,
      durationMs: 2000,
      timeline: [first, ...rest],
      caption: "Five rows, one after the other.",
      playback: { ...PLAYBACK, loop: true },
      provenance: { sourceType: "tool", source: "display_media" },
    });
  },
  text: async () =>
    describe({
      kind: "text-timeline",
      timeline: [
        { text: "$ vesctl get http_loadbalancer lb1\nlb1   shop.example.com   https", durationMs: 800 },
        {
          text: "$ vesctl get origin_pool api-eu\napi-eu   2 of 3 healthy\n<b>not bold</b> \u202eturned",
          durationMs: 800,
        },
        { text: "done", durationMs: 800 },
      ],
      caption: "What was run.",
      provenance: { sourceType: "tool", source: "display_media" },
    }),
} satisfies Record<string, () => Promise<MediaDescriptor>>;

/** The name of something to show. */
export type MediaName = keyof typeof MEDIA;
