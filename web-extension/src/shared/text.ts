/** Measures and repairs text before it crosses to the worker. */

const encoder = new TextEncoder();

/** Length of a text in UTF-8 bytes, which is what limits count. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** The first `max` UTF-16 units of a text, never ending inside a surrogate pair. */
export function clip(text: string, max: number): string {
  return text.slice(0, max).toWellFormed();
}

/** Copies a JSON value with every string made well formed: a lone surrogate would make a JSON parser refuse the whole request (decision 7). */
export function wellFormed<T>(value: T): T;
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}
