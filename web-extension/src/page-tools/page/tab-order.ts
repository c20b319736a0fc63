/** Where the Tab key goes: positive tab indexes first, then the order of the page, through open shadow roots. */
import { renderingOf } from "../../capture/page/visibility";
import { nearest, within } from "./composed";

const TABBABLE =
  "a[href], area[href], button, input:not([type='hidden']), select, textarea, summary, iframe, [tabindex], [contenteditable]:not([contenteditable='false'])";
const ELEMENTS_MAX = 5000;

/** The next element that gets the focus, or the one before; null at the end of the page. */
export function nextInOrder(element: Element, back: boolean): HTMLElement | null {
  const document = element.ownerDocument;
  const modal = nearest(element, "dialog:modal");
  const stops = within(modal ?? document.documentElement, TABBABLE, ELEMENTS_MAX).filter((each) =>
    isStop(each, element),
  );
  const order = stops.sort((a, b) => rank(a) - rank(b));
  const place = order.indexOf(element);
  if (place < 0) return htmlOf(back ? order.at(-1) : order[0]);
  const next = order[place + (back ? -1 : 1)];
  // A modal dialog keeps the focus inside.
  return htmlOf(next ?? (modal === null ? undefined : back ? order.at(-1) : order[0]));
}

function htmlOf(element: Element | undefined): HTMLElement | null {
  return element instanceof HTMLElement ? element : null;
}

function rank(element: Element): number {
  const index = element instanceof HTMLElement ? element.tabIndex : 0;
  return index > 0 ? index : Number.MAX_SAFE_INTEGER;
}

function isStop(element: Element, current: Element): boolean {
  if (element === current) return true;
  if (!(element instanceof HTMLElement) || element.tabIndex < 0 || element.matches(":disabled")) return false;
  if (renderingOf(element) !== "shown" || nearest(element, "[inert]") !== null) return false;
  return !isPassedRadio(element);
}

/** Of a group of radio buttons only the chosen one is a stop. */
function isPassedRadio(element: HTMLElement): boolean {
  if (!(element instanceof HTMLInputElement) || element.type !== "radio" || element.checked || element.name === "")
    return false;
  const group = element.form?.elements.namedItem(element.name);
  return group instanceof RadioNodeList && group.value !== "";
}
