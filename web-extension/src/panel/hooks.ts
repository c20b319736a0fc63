/** Small hooks shared by the components. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isComposing } from "./keys";

/** The time, renewed every `everyMs` while `active`; still otherwise. */
export function useNow(active: boolean, everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [active, everyMs]);
  return now;
}

/** Closes a popup when a press lands outside of it. */
export function useOutsidePress(ref: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!open) return;
    const press = (event: PointerEvent) => {
      if (event.target instanceof Node && ref.current?.contains(event.target) === false) latest.current();
    };
    document.addEventListener("pointerdown", press, true);
    return () => document.removeEventListener("pointerdown", press, true);
  }, [open, ref]);
}

/** Closes a popup when Esc is pressed inside it, before anything further out hears of the key. */
export function useEscape(ref: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    const element = ref.current;
    if (!open || element === null) return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || isComposing(event)) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current();
    };
    element.addEventListener("keydown", press);
    return () => element.removeEventListener("keydown", press);
  }, [open, ref]);
}

/** A signal that ends when the component goes away. */
export function useLifetime(): AbortSignal {
  const [controller] = useState(() => new AbortController());
  useEffect(() => () => controller.abort(), [controller]);
  return controller.signal;
}

/** A value that says true for a short while after `show` was called. */
export function useFlash(forMs: number): [boolean, () => void] {
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (shown === 0) return;
    const timer = setTimeout(() => setShown(0), forMs);
    return () => clearTimeout(timer);
  }, [shown, forMs]);
  return [shown > 0, () => setShown((count) => count + 1)];
}
