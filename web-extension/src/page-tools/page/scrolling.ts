/** What scrolls, and how far it is. */
import { styleOf } from "../../capture/page/visibility";
import { parentOf } from "./composed";

/** The nearest part of the page around an element that scrolls, else the page itself. */
export function scrollerOf(element: Element): Element {
  const page = element.ownerDocument.scrollingElement ?? element.ownerDocument.documentElement;
  for (let at: Element | null = element; at !== null && at !== page; at = parentOf(at)) {
    if (canScroll(at) && at !== element.ownerDocument.body) return at;
  }
  return page;
}

function canScroll(element: Element): boolean {
  const { scrollHeight, clientHeight, scrollWidth, clientWidth } = element;
  if (scrollHeight - clientHeight < 2 && scrollWidth - clientWidth < 2) return false;
  const style = styleOf(element);
  return style !== null && [style.overflowX, style.overflowY].some((each) => each === "auto" || each === "scroll");
}

/** Where a scroller stands, in words. */
export function positionOf(scroller: Element): string {
  const { scrollTop, scrollHeight, clientHeight, scrollLeft, scrollWidth, clientWidth } = scroller;
  const down = scrollHeight - clientHeight;
  const across = scrollWidth - clientWidth;
  const parts = [along(scrollTop, down, ["top", "bottom"])];
  if (across > 1) parts.push(along(Math.abs(scrollLeft), across, ["start", "end"]));
  return parts.join(", ");
}

function along(at: number, far: number, [first, last]: readonly [string, string]): string {
  if (far <= 1) return "everything is in view";
  if (at <= 1) return `at the ${first}`;
  return at >= far - 1 ? `at the ${last}` : `${Math.round((at / far) * 100)} % of the way to the ${last}`;
}
