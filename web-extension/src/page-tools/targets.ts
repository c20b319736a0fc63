/** The arguments that several page tools share. */
import { REF_PATTERN } from "./refs";
import type { Property } from "./schema";

/** "kq12", or "f3kq12" in a frame. */
export const REF: Property = {
  type: "string",
  description: "Ref of an element as page_snapshot, page_find or the page context gave it, such as kq12 or f3kq12.",
  maxLength: 32,
  pattern: REF_PATTERN,
};

/** How something is described: by role, name and text. */
export const DESCRIBED: Record<string, Property> = {
  role: { type: "string", description: "ARIA role, such as button, link, textbox, row.", minLength: 1, maxLength: 40 },
  name: {
    type: "string",
    description: "Accessible name, such as the label of a button.",
    minLength: 1,
    maxLength: 300,
  },
  text: { type: "string", description: "Text on it: its name, value or content.", minLength: 1, maxLength: 300 },
  exact: { type: "boolean", description: "Only names and texts that are equal fit, not ones that contain it." },
};

/** How a target is named: by its ref, or by what describes it. */
export const TARGET: Record<string, Property> = { ref: REF, ...DESCRIBED };

/** Said of tools that need one target. */
export const ONE_TARGET = "Name the target by ref, or by role, name or text when exactly one element fits.";
