/** Reads the arguments of a tool, one by one, with bounds; what does not fit is refused with what would. */
import { ToolFault } from "./fault";

/** Arguments as they came: the worker has checked them against the schema, and we do not rely on it. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Bounds of a number and what stands for an absent one. */
export interface NumberRule {
  min: number;
  max: number;
  otherwise: number;
}

const TEXT_MAX = 32 * 1024;

/** A text, or undefined when absent. */
export function textArgument(args: Arguments, key: string, max = TEXT_MAX): string | undefined {
  const value = args[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw bad(`"${key}" must be a text`);
  if (value.length > max) throw bad(`"${key}" is longer than ${max} characters`);
  return value.toWellFormed();
}

/** A text that must be there; it may be empty. */
export function requiredText(args: Arguments, key: string, max = TEXT_MAX): string {
  const value = textArgument(args, key, max);
  if (value === undefined) throw bad(`"${key}" is missing`);
  return value;
}

/** A list of texts, at least one. */
export function textsArgument(args: Arguments, key: string): string[] {
  const value = args[key];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0 || list.length > 100) throw bad(`"${key}" must hold 1 to 100 texts`);
  return list.map((item) => {
    if (typeof item !== "string" || item.length > 2000) throw bad(`"${key}" must be a list of texts`);
    return item.toWellFormed();
  });
}

/** A number within bounds; one outside is taken to the nearest bound. */
export function numberArgument(args: Arguments, key: string, rule: NumberRule): number {
  const value = args[key];
  if (value === undefined || value === null) return rule.otherwise;
  if (typeof value !== "number" || !Number.isFinite(value)) throw bad(`"${key}" must be a number`);
  return Math.min(rule.max, Math.max(rule.min, value));
}

/** True only for `true`. */
export function flagArgument(args: Arguments, key: string): boolean {
  const value = args[key];
  if (value !== undefined && value !== null && typeof value !== "boolean") throw bad(`"${key}" must be true or false`);
  return value === true;
}

/** One of a few words, or undefined when absent. */
export function choiceArgument<T extends string>(args: Arguments, key: string, choices: readonly T[]): T | undefined {
  const value = args[key];
  if (value === undefined || value === null) return undefined;
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw bad(`"${key}" must be one of ${choices.join(", ")}`);
  return choice;
}

function bad(detail: string): ToolFault {
  return new ToolFault("bad-arguments", detail);
}
