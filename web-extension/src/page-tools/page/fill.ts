/** page_fill: replaces what a field holds, and makes sure that the page has kept it. */
import { tidy } from "../../capture/text";
import type { FrameDone } from "../messages";
import { refuseDisabled } from "./able";
import type { Arguments } from "./arguments";
import { requiredText } from "./arguments";
import { Changes } from "./changes";
import { shownIn, spokenOf } from "./describe";
import { ToolFault } from "./fault";
import type { Field } from "./fields";
import { contentOf, fieldOf, isTextField, refuseReadonly, refuseSecret } from "./fields";
import { reach } from "./hit";
import type { Job, PageTool } from "./job";
import { done, targetOf } from "./job";
import { isSecret } from "./secret";
import { replaceContent } from "./typing";
import { isSameValue, refuseMisfit } from "./values";

export const pageFill: PageTool = { target: "one", acts: true, limit: 12_000, examine, run };

const SHOWN_MAX = 200;

/** The field that a call would fill; refuses one that cannot hold the value. */
function examine(element: Element, args: Arguments): Field {
  const field = fieldOf(element);
  refuseDisabled(field);
  refuseReadonly(field);
  if (isTextField(field)) refuseMisfit(field, wantedValue(args));
  return field;
}

function wantedValue(args: Arguments): string {
  return requiredText(args, "value").replace(/\r\n?/g, "\n");
}

async function run(job: Job): Promise<FrameDone> {
  const field = examine(targetOf(job), job.args);
  const value = wantedValue(job.args);
  refuseSecret(field, job.mayTypeSecrets);
  await reach(field, job.view, job.signal);
  job.check();
  examine(field, job.args);
  refuseSecret(field, job.mayTypeSecrets);
  const called = spokenOf(field);
  const changes = new Changes(job.view);
  await replaceContent(field, value, job.signal);
  const report = await changes.report(job.signal);
  return done(`Filled ${called}${kept(field, value)}`, report);
}

/** What to say of the field's content; refuses when the page has put something else there. */
function kept(field: Field, value: string): string {
  if (!field.isConnected) return "; the page has drawn the field anew, look at it again.";
  const now = contentOf(field);
  const shown = isSecret(field) ? "" : shownIn(field).slice(0, SHOWN_MAX);
  if (isTextField(field) ? isSameValue(field, now, value) : isSameText(now, value)) {
    return shown === "" ? "." : `: it now holds "${shown}".`;
  }
  if (isFormatted(now, value)) return shown === "" ? "." : `; the page shows it as "${shown}".`;
  const instead = now === "" ? "nothing" : shown === "" ? "something else" : `"${shown}"`;
  throw new ToolFault("value-not-kept", `the page did not keep it; the field now holds ${instead}`);
}

/** Editors set lines apart in ways of their own. */
function isSameText(a: string, b: string): boolean {
  return tidy(a) === tidy(b);
}

/** A field that sets its value out (1,234.50 for 1234.5, capitals, a mask) has kept it; a lost sign or point is a loss. */
function isFormatted(now: string, value: string): boolean {
  const [a, b] = [bare(now), bare(value)];
  return b !== "" && (a === b || (Number(a) === Number(b) && a !== ""));
}

function bare(text: string): string {
  const joined = text.toLowerCase().replace(/(?<=[\p{L}\p{N}])-(?=[\p{L}\p{N}])/gu, "");
  return joined.replace(/[^\p{L}\p{N}.+-]/gu, "");
}
