/**
 * What a person can see of an element: rendered or not, clipped to nothing, inside the viewport or outside.
 *
 * Where there is no layout (a hidden frame, a test document) everything rendered counts as in view.
 */

/** `through`: no box or not painted itself, but its children may be. */
export type Rendering = "shown" | "through" | "hidden";

/** A rectangle in viewport coordinates. */
export interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Each check by its present name and by the one that browsers before 2024 know. */
const PAINTED = { opacityProperty: true, visibilityProperty: true, checkOpacity: true, checkVisibilityCSS: true };

/** Whether an element is rendered. */
export function renderingOf(element: Element): Rendering {
  if (typeof element.checkVisibility !== "function") return renderingByStyle(element);
  if (element.checkVisibility(PAINTED)) return "shown";
  // An element without a box of its own, or one that is not painted, may hold some that are.
  return renderingByStyle(element) === "through" ? "through" : "hidden";
}

/** The same from the element's own style alone, for one whose ancestors are known to be shown. */
export function renderingByStyle(element: Element): Rendering {
  const style = styleOf(element);
  if (style === null || style.display === "none" || style.opacity === "0" || isInClosedDetails(element))
    return "hidden";
  const unpainted = style.visibility === "hidden" || style.visibility === "collapse";
  return style.display === "contents" || unpainted ? "through" : "shown";
}

function isInClosedDetails(element: Element): boolean {
  const parent = element.parentElement;
  return parent instanceof HTMLDetailsElement && !parent.open && element.localName !== "summary";
}

/** Computed style, null where the element has left its document. */
export function styleOf(element: Element): CSSStyleDeclaration | null {
  return element.ownerDocument.defaultView?.getComputedStyle(element) ?? null;
}

/** Whether text directly inside an element without a box of its own is painted. */
export function paintsText(element: Element): boolean {
  return styleOf(element)?.visibility !== "hidden";
}

/** The viewport of a document; null where there is no layout. */
export function viewportOf(view: Window): Rect | null {
  const { width, height } = view.document.documentElement.getBoundingClientRect();
  if (view.innerWidth === 0 || view.innerHeight === 0 || (width === 0 && height === 0)) return null;
  return { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight };
}

/** Whether two rectangles share more than an edge. */
export function overlaps(a: Rect, b: Rect): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}

/** The common part of two rectangles. */
export function intersection(a: Rect, b: Rect): Rect {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

/** Content shrunk or clipped to nothing: the usual ways to write for screen readers only, and collapsed panels. */
export function clipsAway(element: Element, box: Rect): boolean {
  if (box.right - box.left > 1.5 && box.bottom - box.top > 1.5) return false;
  const style = styleOf(element);
  if (style === null) return false;
  if (style.fontSize === "0px" || style.contentVisibility === "hidden") return true;
  if (style.display === "inline" || style.display === "contents") return false;
  return style.overflow !== "visible" || style.clip !== "auto" || style.clipPath !== "none";
}

/** Parked where no scrolling reaches: left of or above the document. */
export function isParked(element: Element, box: Rect): boolean {
  const view = element.ownerDocument.defaultView;
  if (view === null) return false;
  const above = box.bottom + view.scrollY <= 0;
  const before = box.right + view.scrollX <= 0 && styleOf(element)?.direction !== "rtl";
  return (above || before) && !insideScrolled(element);
}

function insideScrolled(element: Element): boolean {
  const root = element.ownerDocument.scrollingElement;
  for (let at = element.parentElement; at !== null && at !== root; at = at.parentElement) {
    if (at.scrollTop !== 0 || at.scrollLeft !== 0) return true;
  }
  return false;
}

/** Whether an element cuts off or scrolls what does not fit into it. */
export function clipsOverflow(element: Element): boolean {
  const overflows = element.scrollHeight - element.clientHeight > 8 || element.scrollWidth - element.clientWidth > 8;
  return overflows && element.clientHeight > 0 && styleOf(element)?.overflow !== "visible";
}
