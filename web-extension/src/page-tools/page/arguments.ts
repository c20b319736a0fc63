/** Reads the arguments of a tool, which are checked by then (`frame-arguments.ts`). */
import { ToolFault } from "./fault";

/** Arguments by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A text, or undefined when absent. */
export function textArgument(args: Arguments, key: string): string | undefined {
  const value = args[key];
  return typeof value === "string" ? value.toWellFormed() : undefined;
}

/** A text that must be there; it may be empty. */
export function requiredText(args: Arguments, key: string): string {
  const value = textArgument(args, key);
  if (value === undefined) throw new ToolFault("bad-arguments", `"${key}" is missing`);
  return value;
}

/** A list of texts; empty when absent. */
export function textsArgument(args: Arguments, key: string): string[] {
  const list: unknown = args[key];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => (typeof item === "string" ? [item.toWellFormed()] : []));
}

/** A number, or what stands for an absent one. */
export function numberArgument(args: Arguments, key: string, otherwise: number): number {
  const value = args[key];
  return typeof value === "number" ? value : otherwise;
}

/** True only for `true`. */
export function flagArgument(args: Arguments, key: string): boolean {
  return args[key] === true;
}

/** One of a few words, or undefined when absent. */
export function choiceArgument<T extends string>(args: Arguments, key: string, choices: readonly T[]): T | undefined {
  return choices.find((each) => each === args[key]);
}
