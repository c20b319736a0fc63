/** Questions about keyboard events that several components ask. */

/** What browsers report for a key that an input method consumed. */
const PROCESSED_BY_INPUT_METHOD = 229;

/** True while an input method composes text: its Enter and Escape belong to it. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === PROCESSED_BY_INPUT_METHOD;
}
