/** page_press: a key or a chord, to an element or to what has the focus. */
import type { Effect, FrameDone } from "../messages";
import { refuseDisabled } from "./able";
import type { Arguments } from "./arguments";
import { requiredText } from "./arguments";
import { Changes } from "./changes";
import type { Chord } from "./chord";
import { chordOf } from "./chord";
import { focusedIn } from "./composed";
import { shownIn, spokenOf } from "./describe";
import { ToolFault } from "./fault";
import { isTextField, refuseSecret } from "./fields";
import { focusableFor, moveFocus } from "./focusing";
import type { Job, PageTool } from "./job";
import { done, targetOf } from "./job";
import { changesContent, effectOfKey } from "./key-effect";
import { pressKey } from "./keys";
import { isSecret } from "./secret";

export const pagePress: PageTool = { target: "maybe", acts: true, limit: 8000, implied: focusOf, examine, effect, run };

const SHOWN_MAX = 120;

async function run(job: Job): Promise<FrameDone> {
  const text = requiredText(job.args, "key");
  const chord = chordOf(text);
  const element = examine(targetOf(job), job.args);
  if (changesContent(chord)) refuseSecret(element, job.mayTypeSecrets);
  job.check();
  const called = element === job.view.document.body ? "the page" : spokenOf(element);
  const focusable = focusableFor(element);
  if (focusable !== null) moveFocus(job.view.document, focusable);
  const changes = new Changes(job.view);
  const action = pressKey(element, chord);
  const report = await changes.report(job.signal);
  const what = action === "" ? "" : `: ${action}`;
  return done(`Pressed ${text} on ${called}${what}.`, holds(element, chord), report);
}

function effect(element: Element, args: Arguments): Effect | undefined {
  return effectOfKey(element, chordOf(requiredText(args, "key")));
}

function examine(element: Element, args: Arguments): Element {
  chordOf(requiredText(args, "key"));
  refuseDisabled(element);
  return element;
}

/** What gets a key that is sent to nothing in particular. */
function focusOf(view: Window): Element {
  const focused = focusedIn(view.document) ?? view.document.body;
  if (focused.localName === "iframe") throw new ToolFault("wrong-kind", "the focus is in a frame; name a ref in it");
  return focused;
}

/** What the field holds after a key that may have changed it. */
function holds(element: Element, chord: Chord): string {
  if (!isTextField(element) || !element.isConnected || !changesContent(chord) || isSecret(element)) return "";
  return `It now holds "${shownIn(element).slice(0, SHOWN_MAX)}".`;
}
