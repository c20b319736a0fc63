/** Chooses one of a group of radio buttons by its label. */
import type { FrameDone } from "../messages";
import { disabledReason } from "./able";
import { Changes } from "./changes";
import { nearest, within } from "./composed";
import { describe, spokenOf } from "./describe";
import { ToolFault } from "./fault";
import { reach } from "./hit";
import type { Job } from "./job";
import { done, targetOf } from "./job";
import { chosenOption } from "./options";
import { press } from "./pointer";

const RADIOS = "input[type='radio'], [role='radio']";
const GROUPS = "[role='radiogroup'], fieldset, form";

/** The radio buttons that an element is one of, or holds and nothing else to choose from. */
export function radiosOf(element: Element): Element[] {
  if (!element.matches(RADIOS)) return within(element, RADIOS);
  const group = nearest(element, GROUPS);
  const all = group === null ? [element] : within(group, RADIOS);
  return all.filter((radio) => radio.getAttribute("name") === element.getAttribute("name"));
}

/** Presses the one that is meant. */
export async function chooseRadio(radios: readonly Element[], wanted: readonly string[], job: Job): Promise<FrameDone> {
  const [label = "", ...others] = wanted;
  if (others.length > 0) throw new ToolFault("bad-arguments", "of radio buttons only one can be chosen");
  const options = radios.map((of) => ({
    of,
    label: describe(of).name,
    value: of instanceof HTMLInputElement ? of.value : "",
    disabled: disabledReason(of) !== "",
  }));
  const radio = chosenOption(options, label).of;
  const point = await reach(radio, job.view, job.signal);
  job.check();
  const changes = new Changes(job.view);
  press(point, radio, { double: false, modifiers: [] });
  const report = await changes.report(job.signal);
  const on = radio instanceof HTMLInputElement ? radio.checked : radio.getAttribute("aria-checked") === "true";
  if (radio.isConnected && !on)
    throw new ToolFault("value-not-kept", `${spokenOf(radio)} is not chosen after the press`);
  return done(`Chose ${spokenOf(radio)} in ${spokenOf(targetOf(job))}.`, report);
}
