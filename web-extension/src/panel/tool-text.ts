/** Input and output of tools as a person reads them: bounded, and JSON with room around it. Pure. */
import { clip } from "../shared/text";

/** More than this is not read in a row of a side panel. */
const LONGEST = 6000;

/** The arguments of a call, indented when they are JSON; as they are otherwise. */
export function prettyInput(input: string): string {
  // A text that was cut is no JSON any more, and one that will be cut need not be made longer first.
  if (input.length > LONGEST) return input;
  try {
    return JSON.stringify(JSON.parse(input), null, 2);
  } catch {
    return input;
  }
}

/** The beginning of a text that is too long to be shown whole. */
export function shortened(text: string): string {
  return text.length > LONGEST ? clip(text, LONGEST) : text;
}
