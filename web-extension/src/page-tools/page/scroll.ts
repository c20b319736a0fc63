/** page_scroll: brings an element into view, or moves the page or a part of it by screens or to an edge. */
import { DEFAULTS, DIRECTIONS, EDGES } from "../frame-arguments";
import type { FrameDone } from "../messages";
import { choiceArgument, numberArgument } from "./arguments";
import { describe, spoken, spokenOf } from "./describe";
import { wordsOf } from "./hiding";
import { topmost } from "./hit";
import type { Job, PageTool } from "./job";
import { done } from "./job";
import { positionOf, scrollerOf } from "./scrolling";
import { atRest, nextFrame } from "./waiting";

export const pageScroll: PageTool = { target: "maybe", acts: true, limit: 8000, run };

/** Lists that load as they are scrolled need a moment. */
const REST = { quiet: 150, most: 1500 };
const NAME_MAX = 80;

async function run(job: Job): Promise<FrameDone> {
  const direction = choiceArgument(job.args, "direction", DIRECTIONS);
  const edge = choiceArgument(job.args, "edge", EDGES);
  const amount = numberArgument(job.args, "amount", DEFAULTS.amount);
  job.check();
  const body = job.view.document.body;
  const scroller = scrollerOf(job.target ?? mainPart(job.view) ?? body);
  const before = [scroller.scrollLeft, scroller.scrollTop].join();
  if (edge !== undefined) scroller.scrollTo({ ...edgeOf(scroller, edge), behavior: "instant" });
  else if (direction !== undefined || job.target === null) {
    scroller.scrollBy({ ...wayOf(scroller, direction ?? "down", amount), behavior: "instant" });
  } else job.target.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  await nextFrame(job.view, job.signal);
  await atRest([job.view.document], REST, job.signal);
  const moved = before !== [scroller.scrollLeft, scroller.scrollTop].join();
  const what = job.target !== null && direction === undefined && edge === undefined ? spokenOf(job.target) : "";
  const first = what === "" ? (moved ? "Scrolled" : "Did not move") : `Brought ${what} into view`;
  return done(`${first}; ${positionOf(scroller)}.`, edgesOf(scroller, job.view));
}

/** Where the page itself does not scroll, the part that lies in its middle does. */
function mainPart(view: Window): Element | null {
  const page = view.document.scrollingElement;
  if (page !== null && page.scrollHeight - page.clientHeight > 1) return null;
  return topmost(view.document, view.innerWidth / 2, view.innerHeight / 2);
}

function wayOf(scroller: Element, direction: (typeof DIRECTIONS)[number], amount: number): ScrollToOptions {
  const sign = direction === "up" || direction === "left" ? -1 : 1;
  const upright = direction === "up" || direction === "down";
  return upright ? { top: sign * amount * scroller.clientHeight } : { left: sign * amount * scroller.clientWidth };
}

function edgeOf(scroller: Element, edge: (typeof EDGES)[number]): ScrollToOptions {
  switch (edge) {
    case "top":
      return { top: 0 };
    case "bottom":
      return { top: scroller.scrollHeight };
    case "left":
      return { left: -scroller.scrollWidth };
    case "right":
      return { left: scroller.scrollWidth };
  }
}

/** What now lies at the upper and the lower edge. */
function edgesOf(scroller: Element, view: Window): string {
  const box = scroller === view.document.scrollingElement ? null : scroller.getBoundingClientRect();
  const middle = box === null ? view.innerWidth / 2 : box.left + box.width / 2;
  const top = Math.max(0, box?.top ?? 0) + 8;
  const bottom = Math.min(view.innerHeight, box?.bottom ?? view.innerHeight) - 8;
  const [first, last] = [top, bottom].map((y) => partAt(view.document, middle, y));
  const parts = [first ? `first ${first}` : "", last && last !== first ? `last ${last}` : ""];
  const said = parts.filter((part) => part !== "").join(", ");
  return said === "" ? "" : `In view: ${said}.`;
}

function partAt(document: Document, x: number, y: number): string {
  const under = topmost(document, x, y);
  if (under === null || under === document.body || under === document.documentElement) return "";
  const part = under.closest("tr, li, h1, h2, h3, h4, h5, h6, p, button, a[href]") ?? under;
  const name = wordsOf(part, NAME_MAX);
  return name === "" ? "" : spoken({ role: describe(part).role === "generic" ? "text" : describe(part).role, name });
}
