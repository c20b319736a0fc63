/** Whether the person is writing right now, so that nothing takes the focus away from under the hands. */
import { useEffect, useRef } from "preact/hooks";

/** Within this time after a key, more keys are likely to come. */
const PAUSE_MS = 2000;

/** A function that says whether the person is writing in a text field. */
export function useTyping(): () => boolean {
  const lastKeyAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const life = new AbortController();
    const pressed = () => {
      lastKeyAt.current = performance.now();
    };
    document.addEventListener("keydown", pressed, { capture: true, signal: life.signal });
    return () => life.abort();
  }, []);
  return () => {
    const field = document.activeElement;
    if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return false;
    return field.value !== "" || performance.now() - lastKeyAt.current < PAUSE_MS;
  };
}
