/**
 * Which turns of a long conversation are in the document.
 *
 * A conversation of ordinary length is there as a whole, so that the browser's own find, selection and screen readers
 * see all of it. A longer one keeps what is near the viewport; spacers stand for the rest. The browser's scroll
 * anchoring holds the reading position, so the virtualiser itself never scrolls.
 */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

/** Up to this many turns everything is in the document. */
export const WHOLE_UP_TO = 80;

const ESTIMATED_PX = 220;
const OVERSCAN = 6;

/** What to draw: the turns from `first` to `last`, and the space of those that are left out. */
export interface Window {
  indexes: number[];
  before: number;
  after: number;
  measure: (element: HTMLElement | null) => void;
  scrollToIndex: (index: number) => void;
}

/** The part of a list of turns that is drawn, renewed while the person scrolls. */
export function useVirtualRows(scroller: RefObject<HTMLElement | null>, keys: readonly string[]): Window {
  const [, redraw] = useReducer((count: number, _event: null) => count + 1, 0);
  const options: VirtualizerOptions<HTMLElement, HTMLElement> = {
    count: keys.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_PX,
    getItemKey: (index) => keys[index] ?? index,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(null),
  };
  const [rows] = useState(() => new Virtualizer(options));
  rows.setOptions(options);
  rows.shouldAdjustScrollPositionOnItemSizeChange = () => false;
  useLayoutEffect(() => rows._didMount(), [rows]);
  useLayoutEffect(() => rows._willUpdate());
  const whole = keys.length <= WHOLE_UP_TO;
  const items = whole ? [] : rows.getVirtualItems();
  const last = items.at(-1);
  return {
    indexes: whole ? [...keys.keys()] : items.map((item) => item.index),
    before: items[0]?.start ?? 0,
    after: last === undefined ? 0 : rows.getTotalSize() - last.end,
    measure: rows.measureElement,
    scrollToIndex: (index) => rows.scrollToIndex(index, { align: "start" }),
  };
}
