/** Small checks for values that come from storage or from another page of ours. */

/** A plain JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text. */
export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** A text, or nothing. */
export function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || isString(value);
}

/** A UUID as `crypto.randomUUID` writes it. */
export function isUuid(value: unknown): value is string {
  return isString(value) && /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$/.test(value);
}
