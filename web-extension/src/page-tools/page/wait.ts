/**
 * wait_for: waits until something appears, is gone or can be used, the address is another, or the page is at rest.
 *
 * It looks when the page changes, and now and then by the clock while the page is seen (a style can show what was there
 * before); a page in the background is looked at only when it changes.
 */
import { elementOf } from "../../capture/page/refs";
import { renderingOf } from "../../capture/page/visibility";
import { redactUrl } from "../../capture/redact";
import { DEFAULTS, WAIT_STATES } from "../frame-arguments";
import type { FrameDone } from "../messages";
import { parseRef } from "../refs";
import { disabledReason } from "./able";
import type { Arguments } from "./arguments";
import { choiceArgument, flagArgument, numberArgument, textArgument } from "./arguments";
import { rootsOf } from "./composed";
import { spokenOf } from "./describe";
import { ToolFault } from "./fault";
import type { Job, PageTool } from "./job";
import { done } from "./job";
import { located, locatorOf } from "./locate";
import { wanted } from "./target";
import { atRest, onChange } from "./waiting";

export const waitFor: PageTool = { target: "none", limit: (args) => timeoutOf(args) + 2000, run };

/** How often at most a changing page is looked at; one that takes long to look at is looked at less often. */
const LOOK_MS = 150;
const LOOK_SHARE = 5;
const POLL_MS = 500;
const QUIET_MS = 500;

/** A condition: what is waited for in words, and the element or words that meet it. */
interface Condition {
  said: string;
  /** What it found, null while the condition is not met. */
  met(): string | null;
}

function timeoutOf(args: Arguments): number {
  return numberArgument(args, "timeoutMs", DEFAULTS.timeoutMs);
}

async function run(job: Job): Promise<FrameDone> {
  const most = timeoutOf(job.args);
  if (flagArgument(job.args, "settled")) return settled(job, most);
  const condition = conditionOf(job);
  const found = await until(condition, job, most);
  if (found === null)
    throw new ToolFault("timeout", `after ${Math.round(most / 100) / 10} s: ${condition.said} not met`);
  return done(found);
}

async function settled({ view, signal }: Job, most: number): Promise<FrameDone> {
  const rested = await atRest(rootsOf(view.document), { quiet: QUIET_MS, most }, signal);
  if (!rested) throw new ToolFault("timeout", "the page keeps changing");
  return done("The page is at rest.");
}

function conditionOf({ view, args }: Job): Condition {
  const state = choiceArgument(args, "state", WAIT_STATES) ?? "appears";
  const url = textArgument(args, "url");
  if (url !== undefined && url !== "") return urlCondition(view, url);
  const ref = textArgument(args, "ref");
  if (ref !== undefined && ref !== "") return stateCondition(ref, state, () => shownRef(ref));
  const locator = locatorOf(args);
  if (locator === null)
    throw new ToolFault("bad-arguments", "say what to wait for: a text, role and name, url or settled");
  return stateCondition(wanted(locator), state, () => located(view, locator).map(({ element }) => element));
}

/** The address is looked at as it is read: a secret in it cannot be guessed piece by piece. */
function urlCondition(view: Window, url: string): Condition {
  const met = () => {
    const address = redactUrl(view.location.href);
    return address.includes(url) ? `The address is ${address}.` : null;
  };
  return { said: `an address with "${url}"`, met };
}

function shownRef(ref: string): Element[] {
  const element = elementOf(parseRef(ref)?.local ?? "");
  return element !== null && renderingOf(element) === "shown" ? [element] : [];
}

function stateCondition(what: string, state: (typeof WAIT_STATES)[number], look: () => Element[]): Condition {
  if (state === "gone") return { said: `${what} gone`, met: () => (look().length === 0 ? `${what} is gone.` : null) };
  const met = () => {
    const found = look();
    const fit = state === "enabled" ? found.find((element) => disabledReason(element) === "") : found[0];
    return fit === undefined ? null : `There is ${spokenOf(fit)}${state === "enabled" ? ", and it can be used" : ""}.`;
  };
  return { said: `${what} ${state}`, met };
}

/** What met the condition, or null after the time. */
function until(condition: Condition, { view, signal }: Job, most: number): Promise<string | null> {
  const first = condition.met();
  if (first !== null) return Promise.resolve(first);
  const over = new AbortController();
  return new Promise<string | null>((resolve, reject) => {
    const end = AbortSignal.any([signal, over.signal]);
    let cost = 0;
    const look = () => {
      if (end.aborted) return;
      const started = performance.now();
      const found = attempt(condition, reject);
      cost = performance.now() - started;
      if (found !== null) resolve(found);
    };
    signal.addEventListener("abort", () => reject(signal.reason), { signal: end });
    onChange(rootsOf(view.document), () => Math.max(LOOK_MS, cost * LOOK_SHARE), end, look);
    const poll = setInterval(() => view.document.hidden || cost * LOOK_SHARE > POLL_MS || look(), POLL_MS);
    const timer = setTimeout(() => resolve(attempt(condition, reject)), most);
    end.addEventListener("abort", () => {
      clearInterval(poll);
      clearTimeout(timer);
    });
    for (const type of ["popstate", "hashchange", "load"]) view.addEventListener(type, look, { signal: end });
    if ("navigation" in view) view.navigation.addEventListener("currententrychange", look, { signal: end });
  }).finally(() => over.abort());
}

function attempt(condition: Condition, fail: (reason: unknown) => void): string | null {
  try {
    return condition.met();
  } catch (fault) {
    fail(fault);
    return null;
  }
}
