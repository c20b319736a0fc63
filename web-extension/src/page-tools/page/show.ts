/** highlight and annotate: an outline, and a callout beside it, drawn over the page. What cannot be drawn is skipped. */
import { DEFAULTS } from "../frame-arguments";
import type { FrameDone } from "../messages";
import { numberArgument, requiredText } from "./arguments";
import { spokenOf } from "./describe";
import type { Job, PageTool } from "./job";
import { done } from "./job";
import { nextFrame } from "./waiting";

export const highlight: PageTool = {
  target: "one",
  decorates: true,
  limit: 4000,
  run: (job) => show(job, "", DEFAULTS.highlighted),
};

export const annotate: PageTool = {
  target: "one",
  decorates: true,
  ownText: true,
  limit: 4000,
  run: (job) => show(job, requiredText(job.args, "text").trim(), DEFAULTS.annotated),
};

async function show(job: Job, text: string, otherwise: number): Promise<FrameDone> {
  const { target, view, marks, signal } = job;
  const seconds = numberArgument(job.args, "seconds", otherwise);
  if (target === null) return done("skipped: it names nothing to point at");
  bringIntoView(target, view);
  await nextFrame(view, signal);
  const skipped = marks.mark(target, { seconds }, text);
  return done(skipped === "" ? `Shown at ${spokenOf(target)} for ${seconds} s.` : `skipped: ${skipped}`);
}

/** Scrolls to an element, unless all of it can be seen. */
export function bringIntoView(element: Element, view: Window): void {
  if (!isInView(element, view)) element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
}

function isInView(element: Element, view: Window): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  return top >= 0 && left >= 0 && bottom <= view.innerHeight && right <= view.innerWidth;
}
