/**
 * Takes a capture inside a page with the extension's own code and says how long it took. Bundled by `timing.ts` and
 * run in an isolated world, as the content script is.
 */
import { assemble } from "../../web-extension/src/capture/assemble";
import { mergeFrames } from "../../web-extension/src/capture/merge";
import { walkPage } from "../../web-extension/src/capture/page/walk";
import { trim } from "../../web-extension/src/capture/trim";

const FRAME_BYTES = 64 * 1024;

/** Milliseconds of one capture by the clock, from the walk to the assembled snapshot. */
export function probe(): number {
  const started = performance.now();
  capture();
  return performance.now() - started;
}

function capture(): void {
  const { href: url } = location;
  const { title } = document;
  const page = walkPage(window);
  const { tree, cut } = trim(page.tree, FRAME_BYTES);
  const reply = { kind: "sidewire-frame", token: "", path: [], url, title, viewer: false, api: null } as const;
  const merged = mergeFrames({ ...reply, path: [], tree, frames: [], seen: page.tree.nodes.length, cut }, []);
  assemble({ tabId: 1, url, title, merged, api: null, capturedAt: Date.now() });
}
