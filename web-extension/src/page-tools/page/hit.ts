/**
 * Brings an element into view and finds a point of it that a person could press.
 *
 * Nothing is pressed blindly: a point counts only if the browser itself says that this element, a part of it or its
 * label is what lies there, in this frame and in those around it. So zoom, transforms and sticky headers cannot lead
 * a click astray; at worst it is refused with the name of what is in the way.
 */
import { viewportOf } from "../../capture/page/visibility";
import { holds, parentOf, upwards } from "./composed";
import { describe, spoken, spokenOf } from "./describe";
import { ToolFault } from "./fault";
import { isOurs } from "./layer";
import { nextFrame } from "./waiting";

/** A point in the viewport and the innermost element there. */
export interface Point {
  x: number;
  y: number;
  element: Element;
}

const STABLE_FRAMES = 40;
/** Boxes of a wrapped element that are tried. */
const BOXES_MAX = 4;
/** Where in a box to press: its middle first, then around it. */
const SPOTS = [
  [0.5, 0.5],
  [0.25, 0.5],
  [0.75, 0.5],
  [0.5, 0.25],
  [0.5, 0.75],
  [0.1, 0.1],
  [0.9, 0.1],
  [0.1, 0.9],
  [0.9, 0.9],
] as const;

/** A point where the element can be pressed; scrolls to it when it must. */
export async function reach(element: Element, view: Window, signal: AbortSignal): Promise<Point> {
  const pressed = pressable(element);
  await untilStable(pressed, view, signal);
  for (const block of [null, "center", "start", "end"] as const) {
    if (block !== null) {
      pressed.scrollIntoView({ block, inline: "center", behavior: "instant" });
      await untilStable(pressed, view, signal);
    }
    const point = pointOn(element, pressed, view);
    if (point !== null) return point;
  }
  throw refusedAt(element, pressed, view);
}

/** The element itself, or its label where only that is drawn. */
function pressable(element: Element): Element {
  if (boxesOf(element).length > 0 && isDrawn(element)) return element;
  const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
  const label = labels.find((each) => boxesOf(each).length > 0);
  if (label !== undefined) return label;
  throw new ToolFault("not-visible", `${spokenOf(element)} takes no room on the page`);
}

function isDrawn(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  return (width > 1.5 && height > 1.5) || boxesOf(element).some((box) => box.width > 1.5 && box.height > 1.5);
}

function boxesOf(element: Element): DOMRect[] {
  return [...element.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
}

/** Waits until an element has stopped moving. */
async function untilStable(element: Element, view: Window, signal: AbortSignal): Promise<void> {
  let before = element.getBoundingClientRect();
  for (let frames = 0; frames < STABLE_FRAMES; frames += 1) {
    await nextFrame(view, signal);
    if (!element.isConnected) throw new ToolFault("dead-ref", "it left the page before it could be reached");
    const now = element.getBoundingClientRect();
    if (Math.abs(now.x - before.x) + Math.abs(now.y - before.y) < 0.5 && now.width === before.width) return;
    before = now;
  }
  throw new ToolFault("not-visible", `${spokenOf(element)} does not stop moving`);
}

/** A point in view where the element is on top, away from other controls in it if it can be; null when there is none. */
function pointOn(element: Element, pressed: Element, view: Window): Point | null {
  const points = spotsOf(pressed, view).flatMap(([x, y]) => {
    const under = topmost(view.document, x, y);
    const hit = under !== null && presses(under, element) && isFrameClear(view, x, y);
    return hit ? [{ x, y, element: under }] : [];
  });
  return points.find((point) => controlAt(point.element, element) === null) ?? points[0] ?? null;
}

const CONTROLS = "a[href], button, input, select, textarea, summary, [role='button'], [role='link'], [role='checkbox']";

/** Another control between a point's element and the one to press. */
function controlAt(under: Element, element: Element): Element | null {
  for (const at of upwards(under)) {
    if (at === element || (at instanceof HTMLLabelElement && at.control === element)) return null;
    if (at.matches(CONTROLS)) return at;
  }
  return null;
}

/** Points in the visible part of an element, the best first. */
function spotsOf(element: Element, view: Window): [number, number][] {
  const sight = viewportOf(view) ?? { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight };
  const boxes = boxesOf(element).flatMap(({ left, top, right, bottom }) => {
    const seen = { left: Math.max(left, sight.left), top: Math.max(top, sight.top) };
    const width = Math.min(right, sight.right) - seen.left;
    const height = Math.min(bottom, sight.bottom) - seen.top;
    return width > 0 && height > 0 ? [{ ...seen, width, height }] : [];
  });
  const largest = boxes.sort((a, b) => b.width * b.height - a.width * a.height).slice(0, BOXES_MAX);
  return largest.flatMap((box) =>
    SPOTS.map(([x, y]): [number, number] => [box.left + box.width * x, box.top + box.height * y]),
  );
}

/** The innermost element at a point, through open shadow roots, our own drawings aside. */
export function topmost(document: Document, x: number, y: number): Element | null {
  let under = document.elementsFromPoint(x, y).find((element) => !isOurs(element)) ?? null;
  for (let root = under?.shadowRoot; root; root = under?.shadowRoot) {
    const inner = root.elementFromPoint(x, y);
    if (inner === null || inner === under || inner.getRootNode() !== root) break;
    under = inner;
  }
  return under;
}

/** Whether pressing `under` presses the element: it is the element, inside it, or on its label. */
export function presses(under: Element, element: Element): boolean {
  if (holds(element, under)) return true;
  // A link in a label is followed, and does not press the control.
  for (const at of upwards(under)) {
    if (at instanceof HTMLLabelElement) return at.control === element;
    if (at.matches(CONTROLS)) return false;
  }
  return false;
}

/** Whether this frame is on top at that point in the frames around it, as far as they can be read. */
function isFrameClear(view: Window, x: number, y: number): boolean {
  const frame = frameOf(view);
  if (frame === null) return true;
  const outer = frame.ownerDocument.defaultView;
  const box = frame.getBoundingClientRect();
  const scale = frame.offsetWidth === 0 ? 1 : box.width / frame.offsetWidth;
  const [outerX, outerY] = [box.left + (frame.clientLeft + x) * scale, box.top + (frame.clientTop + y) * scale];
  const sight = outer === null ? null : viewportOf(outer);
  if (outer === null || sight === null) return true;
  const outside = outerX < 0 || outerY < 0 || outerX >= sight.right || outerY >= sight.bottom;
  if (outside) return false;
  return topmost(frame.ownerDocument, outerX, outerY) === frame && isFrameClear(outer, outerX, outerY);
}

/** The element that holds this frame; null for the main frame and where the one around is of another origin. */
function frameOf(view: Window): HTMLElement | null {
  try {
    const frame = view.frameElement;
    // It belongs to another window, whose classes are not ours.
    return frame !== null && isHtml(frame) ? frame : null;
  } catch {
    return null;
  }
}

function isHtml(element: Element): element is HTMLElement {
  return "offsetWidth" in element;
}

/** Why no point of the element could be found. */
function refusedAt(element: Element, pressed: Element, view: Window): ToolFault {
  const [spot] = spotsOf(pressed, view);
  if (spot === undefined) return new ToolFault("not-visible", `${spokenOf(element)} cannot be scrolled into view`);
  const under = topmost(view.document, ...spot);
  const inFrame = under !== null && presses(under, element);
  const obstacle = inFrame || under === null ? "something around this frame" : nameOfObstacle(under, element);
  return new ToolFault("occluded", `${obstacle} is in front of ${spokenOf(element)}`);
}

const TELLING = "dialog, [role], button, a[href], header, footer, nav, aside, img, iframe, [aria-label]";

/** The obstacle by the name of the nearest thing that has one and does not hold the target too. */
function nameOfObstacle(under: Element, element: Element): string {
  for (let at: Element | null = under; at !== null && !holds(at, element); at = parentOf(at)) {
    const described = describe(at);
    if (at.matches(TELLING) && described.role !== "generic") return spoken(described);
  }
  const { name } = describe(under);
  return name === "" ? `an element <${under.localName}>` : `"${name.slice(0, 60)}"`;
}
