/** Looking into values of unknown shape. */

/** A member of a value, if it is an object that has it. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
