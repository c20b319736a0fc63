/**
 * The small part of JSON Schema that the page tools' arguments need, as types, and its check.
 *
 * The worker checks arguments too; this check is what the extension itself relies on. `additionalProperties` is always
 * false, so nothing unlisted reaches a page.
 */
import { isRecord } from "../shared/guards";

/** One argument. */
export type Property = { description?: string } & (
  | { type: "string"; minLength?: number; maxLength: number; pattern?: string; enum?: readonly string[] }
  | { type: "integer" | "number"; minimum: number; maximum: number }
  | { type: "boolean" }
  | { type: "array"; minItems?: number; maxItems: number; items: Property }
);

/** The arguments of a tool. */
export type ArgumentsSchema = {
  type: "object";
  properties: Record<string, Property>;
  required?: readonly string[];
  additionalProperties: false;
};

/** What is wrong with some arguments, in one phrase; null when they fit. */
export function faultOf(schema: ArgumentsSchema, values: unknown): string | null {
  if (!isRecord(values)) return "an object is needed";
  for (const name of schema.required ?? []) if (!Object.hasOwn(values, name)) return `"${name}" is missing`;
  for (const [name, value] of Object.entries(values)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (property === undefined) return "an argument is given that the tool does not have";
    const fault = propertyFault(property, value);
    if (fault !== null) return `"${name}" ${fault}`;
  }
  return null;
}

function propertyFault(property: Property, value: unknown): string | null {
  switch (property.type) {
    case "string":
      return typeof value === "string" ? textFault(property, value) : "must be a text";
    case "boolean":
      return typeof value === "boolean" ? null : "must be true or false";
    case "array":
      return Array.isArray(value) ? listFault(property, value) : "must be a list";
    default:
      return numberFault(property, value);
  }
}

function textFault(property: Extract<Property, { type: "string" }>, value: string): string | null {
  const { minLength = 0, maxLength } = property;
  if (property.enum !== undefined && !property.enum.includes(value))
    return `must be one of ${property.enum.join(", ")}`;
  // JSON Schema counts characters, not UTF-16 units.
  const length = value.length > maxLength ? [...value].length : value.length;
  if (length > maxLength) return `must have at most ${maxLength} characters`;
  if (value.length < minLength) return "must not be empty";
  const fits = property.pattern === undefined || new RegExp(property.pattern, "u").test(value);
  return fits ? null : "has the wrong form";
}

function listFault(property: Extract<Property, { type: "array" }>, values: unknown[]): string | null {
  if (values.length > property.maxItems) return `must have at most ${property.maxItems} items`;
  if (values.length < (property.minItems ?? 0)) return `must have at least ${property.minItems} items`;
  for (const value of values) {
    const fault = propertyFault(property.items, value);
    if (fault !== null) return `has an item that ${fault}`;
  }
  return null;
}

function numberFault(
  { type, minimum, maximum }: Extract<Property, { minimum: number }>,
  value: unknown,
): string | null {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  return value < minimum || value > maximum ? `must be between ${minimum} and ${maximum}` : null;
}
