/** Pictures what is visible of the page, small enough for every model and frame. */
import { base64Of, bytesOf } from "../shared/bytes";
import { coverSecrets, uncover } from "./covering";
import { ToolError } from "./errors";
import { isAllowedFrame } from "./in-frames";
import { pause } from "./limited";
import { restricts } from "./policy";
import { type LookingTool, type ToolCall, text } from "./tool";

/** Longest edge; models see no more. */
const EDGE_MAX = 1_568;
const BYTES_MAX = 1_048_576;
/** The browser takes two pictures a second and refuses a third. */
const SPACING_MS = 550;
/** A page that moves while its picture is taken is pictured again. */
const TRIES = 3;
/** The tries, and waiting for the pictures of others. */
const TIMEOUT_MS = 25_000;

/** A picture as it is sent. */
export interface Picture {
  mimeType: string;
  /** Base64. */
  data: string;
  width: number;
  height: number;
}

/** A picture to be taken. */
export interface Shot {
  windowId: number;
  signal: AbortSignal;
  /** Runs right before, when it is the picture's turn. */
  prepare(): Promise<void>;
}

/** Seam between the tool and the browser. */
export interface PageCamera {
  /** A picture of a window's visible tab as a data URL. */
  take(shot: Shot): Promise<string>;
  /** The same picture with its long edge and bytes bounded. */
  shrink(dataUrl: string): Promise<Picture>;
}

/** The tool `page_screenshot`. */
export const pageScreenshot: LookingTool = {
  name: "page_screenshot",
  description:
    "Takes a picture of the visible part of the page, if its tab is in front. For layout, charts and images; text is " +
    "read better with page_snapshot. Secrets are covered, as a reading hides them.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  does: "read",
  timeoutMs: () => TIMEOUT_MS,
  async run(call) {
    const windowId = await frontWindow(call);
    const { shot, places } = await coveredShot(call, windowId).finally(() => uncover(call));
    // Another tab may have come to the front meanwhile, and it must not be in the picture.
    await frontWindow(call, windowId);
    const { data, mimeType, width, height } = await call.world.camera.shrink(shot);
    const covers = places === 0 ? "" : `; secrets are covered at ${places} ${places === 1 ? "place" : "places"}`;
    const size = text(`the visible part of the page, ${width} × ${height} pixels${covers}`);
    return [{ type: "image", data, mimeType }, ...size];
  },
};

/** A picture on which all secrets are covered: they were before it and, at the same places, after it. */
async function coveredShot(call: ToolCall, windowId: number): Promise<{ shot: string; places: number }> {
  const { signal, world } = call;
  let places = 0;
  const prepare = async (): Promise<void> => {
    ({ places } = await coverSecrets(call));
    await demandAllowedFrames(call);
    await frontWindow(call, windowId);
    if (signal.aborted) throw new ToolError("cancelled");
  };
  for (let tries = 0; tries < TRIES; tries += 1) {
    const shot = await world.camera.take({ windowId, signal, prepare }).catch((error: unknown) => {
      throw error instanceof ToolError ? error : refusal(error);
    });
    if ((await coverSecrets(call)).steady) return { shot, places };
  }
  throw new ToolError("failed", "the page keeps moving, so that its secrets could not be covered");
}

/** The browser says in words only whether a permission is missing, or something else is wrong (a hidden window, its quota). */
function refusal(error: unknown): ToolError {
  const isForbidden = error instanceof Error && /permission|cannot access/i.test(error.message);
  return new ToolError(isForbidden ? "screenshot-not-allowed" : "failed");
}

/** The window whose tab in front is the page of the call; fails where there is none, or another one than was expected. */
async function frontWindow({ tabId, url }: ToolCall, expected?: number): Promise<number> {
  const tab = await chrome.tabs.get(tabId).catch(() => undefined);
  if (tab === undefined) throw new ToolError("page-gone");
  if (!tab.active || (expected !== undefined && tab.windowId !== expected)) throw new ToolError("not-in-front");
  if (tab.url === undefined || URL.parse(tab.url)?.origin !== url.origin) throw new ToolError("tab-moved");
  return tab.windowId;
}

/** A picture shows every frame: none may be one that policy forbids, or whose address cannot be looked at. */
async function demandAllowedFrames({ tabId, world }: ToolCall): Promise<void> {
  const policy = await world.policy();
  if (!restricts(policy)) return;
  const [frames, there] = await Promise.all([world.frames.all(tabId), world.frames.count(tabId)]);
  if (there > frames.length || frames.some((frame) => !isAllowedFrame(frame, policy))) {
    throw new ToolError("blocked-by-policy", "of a part of the page");
  }
}

/** A camera that takes its pictures one by one and with a pause between them, whoever asks. */
export function paced(camera: PageCamera): PageCamera {
  let last: Promise<unknown> = Promise.resolve();
  let next = 0;
  const take = async (shot: Shot): Promise<string> => {
    await pause(next - Date.now(), shot.signal);
    if (shot.signal.aborted) throw new ToolError("cancelled");
    await shot.prepare();
    next = Date.now() + SPACING_MS;
    return camera.take(shot);
  };
  return {
    ...camera,
    take(shot) {
      const own = last.then(() => take(shot));
      last = own.catch(() => undefined);
      return own;
    },
  };
}

/** The browser's camera. */
export const browserCamera: PageCamera = paced({
  take: ({ windowId }) => chrome.tabs.captureVisibleTab(windowId, { format: "png" }),
  shrink,
});

const QUALITIES = [0.85, 0.7, 0.5];

async function shrink(dataUrl: string): Promise<Picture> {
  const bitmap = await createImageBitmap(blobOf(dataUrl));
  try {
    for (let edge = EDGE_MAX; edge >= 200; edge = Math.floor(edge / 2)) {
      const picture = await drawn(bitmap, fitted(bitmap.width, bitmap.height, edge));
      if (picture !== null) return picture;
    }
  } finally {
    bitmap.close();
  }
  throw new ToolError("failed", "the picture is too large");
}

/** Size of a picture whose long edge is bounded, in its own proportions. */
export function fitted(width: number, height: number, edge: number): { width: number; height: number } {
  const scale = Math.min(1, edge / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** PNG if it is small enough, else JPEG as good as fits; null when none fits. */
async function drawn(bitmap: ImageBitmap, size: { width: number; height: number }): Promise<Picture | null> {
  const canvas = new OffscreenCanvas(size.width, size.height);
  const context = canvas.getContext("2d");
  if (context === null) throw new ToolError("failed");
  context.drawImage(bitmap, 0, 0, size.width, size.height);
  const ways = [{ type: "image/png" }, ...QUALITIES.map((quality) => ({ type: "image/jpeg", quality }))];
  for (const way of ways) {
    const blob = await canvas.convertToBlob(way);
    if (blob.size <= BYTES_MAX)
      return { ...size, mimeType: blob.type, data: base64Of(new Uint8Array(await blob.arrayBuffer())) };
  }
  return null;
}

/** The extension's own policy forbids to fetch a data URL. */
function blobOf(dataUrl: string): Blob {
  const [, type, data] = /^data:(image\/[a-z]+);base64,(.*)$/s.exec(dataUrl) ?? [];
  if (type === undefined || data === undefined) throw new ToolError("failed");
  return new Blob([bytesOf(data)], { type });
}
