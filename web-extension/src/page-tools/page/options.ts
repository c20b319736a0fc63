/** Which of some options a person means by a label or a value. */
import { clip } from "../../capture/text";
import { ToolFault } from "./fault";
import { folded } from "./locate";

/** An option as a person sees it. */
export interface Option<T> {
  of: T;
  label: string;
  /** What the form sends for it, "" where there is none. */
  value: string;
  disabled: boolean;
}

const LISTED_MAX = 40;
const LABEL_MAX = 80;

/** The option that is meant: by its label, its value, or the only label that begins with or holds the words. */
export function chosenOption<T>(options: readonly Option<T>[], wanted: string): Option<T> {
  const found = matching(options, wanted);
  const [only] = found;
  if (only === undefined || found.length > 1) throw noSuchOption(options, wanted, found.length);
  if (only.disabled) throw new ToolFault("disabled", `the option "${clip(only.label, LABEL_MAX)}" is disabled`);
  return only;
}

/** Every option that fits as well as the best does. */
export function matching<T>(options: readonly Option<T>[], wanted: string): readonly Option<T>[] {
  const words = folded(wanted);
  const rules: ((option: Option<T>) => boolean)[] = [
    ({ label }) => label === wanted,
    ({ value }) => value === wanted && value !== "",
    ({ label }) => folded(label) === words,
    ({ label }) => words !== "" && folded(label).startsWith(words),
    ({ label }) => words !== "" && folded(label).includes(words),
  ];
  for (const rule of rules) {
    const found = options.filter(rule);
    // The same label twice: the first one that can be chosen.
    if (found.length > 1 && found.every(({ label }) => label === found[0]?.label)) return found.slice(0, 1);
    if (found.length > 0) return found;
  }
  return [];
}

function noSuchOption<T>(options: readonly Option<T>[], wanted: string, found: number): ToolFault {
  const what =
    found > 1 ? `"${clip(wanted, LABEL_MAX)}" fits ${found} options` : `there is no "${clip(wanted, LABEL_MAX)}"`;
  return new ToolFault("no-such-option", `${what}; the options are ${listedOptions(options)}`);
}

/** The labels of some options, in quotes, bounded. */
export function listedOptions<T>(options: readonly Option<T>[]): string {
  if (options.length === 0) return "none";
  const shown = options.slice(0, LISTED_MAX).map(({ label }) => `"${clip(label, LABEL_MAX)}"`);
  return shown.join(", ") + (options.length > LISTED_MAX ? ` and ${options.length - LISTED_MAX} more` : "");
}
