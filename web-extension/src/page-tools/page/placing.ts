/** Where an outline and a callout stand for a box of the page. */

const GAP = 10;
const EDGE = 8;
/** How far an outline stands off. */
const OFF = 3;

/** A box in viewport coordinates. */
export type Box = Pick<DOMRect, "left" | "top" | "width" | "height">;

/** Lays an outline around a box. */
export function placeOutline(outline: HTMLElement, { left, top, width, height }: Box): void {
  outline.style.left = `${left - OFF}px`;
  outline.style.top = `${top - OFF}px`;
  outline.style.width = `${width + 2 * OFF}px`;
  outline.style.height = `${height + 2 * OFF}px`;
}

/** Lays a drawing exactly over a box; the page may have zoomed itself, and our drawings with it. */
export function placeBox(drawing: HTMLElement, { left, top, width, height }: Box, zoom: number): void {
  drawing.style.left = `${left / zoom}px`;
  drawing.style.top = `${top / zoom}px`;
  drawing.style.width = `${width / zoom}px`;
  drawing.style.height = `${height / zoom}px`;
}

/** How much an element is zoomed by the style of what it stands in. */
export function zoomOf(element: Element): number {
  const zoom: unknown = Reflect.get(element, "currentCSSZoom");
  return typeof zoom === "number" && zoom > 0 ? zoom : 1;
}

/** Puts a callout below a box, above it where there is no room, and always inside the viewport. */
export function placeCallout(callout: HTMLElement, box: Box, view: Window): void {
  const { offsetWidth: width, offsetHeight: height } = callout;
  const below = box.top + box.height + GAP;
  const above = box.top - GAP - height;
  const top = below + height > view.innerHeight - EDGE && above >= EDGE ? above : below;
  callout.style.left = `${between(EDGE, box.left, view.innerWidth - width - EDGE)}px`;
  callout.style.top = `${between(EDGE, top, view.innerHeight - height - EDGE)}px`;
}

function between(low: number, value: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}
