/**
 * How much a node matters when a page is too large to be sent whole: what is in view, focused, in the main region or
 * near the selection before the rest; controls and headings before prose.
 */

/** What the surroundings of a node say about its importance. */
export interface Surroundings {
  /** Worth of the region: dialog, main, navigation, … */
  region: number;
  near: boolean;
  offscreen: boolean;
  /** How many viewports away an off-screen node lies. */
  distance: number;
}

const ROLE_WORTH: ReadonlyMap<string, number> = new Map(
  Object.entries({
    alert: 34,
    alertdialog: 34,
    status: 30,
    dialog: 34,
    heading: 30,
    columnheader: 28,
    rowheader: 20,
    term: 20,
    definition: 20,
    tab: 24,
    button: 24,
    textbox: 24,
    searchbox: 22,
    combobox: 24,
    listbox: 22,
    checkbox: 24,
    radio: 24,
    switch: 24,
    slider: 22,
    spinbutton: 24,
    iframe: 26,
    row: 16,
    cell: 16,
    gridcell: 16,
    option: 12,
    link: 14,
    img: 8,
    text: 14,
  }),
);

/** Regions by role; anything else inherits. */
export const REGION_WORTH: ReadonlyMap<string, number> = new Map(
  Object.entries({
    dialog: 34,
    alertdialog: 34,
    main: 20,
    navigation: -4,
    banner: 0,
    contentinfo: -8,
    complementary: 2,
  }),
);

/** Loss of a row or item in the middle of a long table or list. */
export const MIDDLE_LOSS = 36;

/** The weight of one node. `length` counts the characters of its text. */
export function weigh(role: string, length: number, around: Surroundings): number {
  let weight = (ROLE_WORTH.get(role) ?? 12) + around.region;
  weight += around.offscreen ? -Math.min(24, around.distance * 4) : 44;
  if (around.near) weight += 40;
  // A long text costs as much as many facts.
  return weight - Math.min(18, length / 60);
}

/** Extra weight of what is being used. */
export const FOCUS_WORTH = 80;
/** Extra weight of a control that is in a state (selected, checked, invalid, expanded). */
export const STATE_WORTH = 8;
