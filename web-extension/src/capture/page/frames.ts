/**
 * Which frame of the tab this is, and which one an `iframe` element holds.
 *
 * Frames are told apart by their position in `window.frames`, read by both sides in the isolated world: the page
 * takes no part in it, so it cannot pass one frame off as another. A frame inside a shadow root has no position and
 * is matched by its address.
 */

/** An `iframe` node and the frame it shows. */
export interface FrameSpot {
  /** Index of the node in the flat tree. */
  node: number;
  /** Position in `window.frames`; -1 inside a shadow root. */
  position: number;
  /** Address the element asks for. */
  url: string;
}

const FRAMES_MAX = 200;

/** Positions from the top window down to this one. */
export function framePath(view: Window): number[] {
  const path: number[] = [];
  for (let at = view; at !== at.parent && path.length < 32; at = at.parent) path.unshift(positionIn(at.parent, at));
  return path;
}

function positionIn(parent: Window, child: Window): number {
  for (let index = 0; index < Math.min(parent.length, FRAMES_MAX); index += 1)
    if (parent[index] === child) return index;
  return -1;
}

/** The position and address of the frame an element shows. */
export function spotOf(element: Element, view: Window): Omit<FrameSpot, "node"> {
  const frame = element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement ? element : null;
  const shown = frame?.contentWindow ?? null;
  const source = element.hasAttribute("srcdoc") ? "about:srcdoc" : (frame?.src ?? "");
  return {
    position: shown === null ? -1 : positionIn(view, shown),
    url: source === "" ? "about:blank" : source.slice(0, 4096),
  };
}
