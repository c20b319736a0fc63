/**
 * A group of radio buttons inside a popup. With the pointer one choice is enough and the popup closes; with the keyboard
 * a person may move through the choices, and Enter closes.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  legend: string;
  done: () => void;
  children: ComponentChildren;
}

/** The group with its legend. */
export function Choices({ legend, done, children }: Props) {
  const group = useRef<HTMLFieldSetElement>(null);
  const latest = useRef(done);
  latest.current = done;
  useEffect(() => {
    const element = group.current;
    if (element === null) return;
    const life = new AbortController();
    const { signal } = life;
    let byPointer = false;
    const chosen = (event: Event) => {
      if (byPointer && event.target instanceof HTMLInputElement) latest.current();
    };
    const pressed = (event: KeyboardEvent) => {
      byPointer = false;
      if (event.key === "Enter") latest.current();
    };
    element.addEventListener("pointerdown", () => (byPointer = true), { signal });
    element.addEventListener("keydown", pressed, { signal });
    element.addEventListener("click", chosen, { signal });
    return () => life.abort();
  }, []);
  return (
    <fieldset class="choices" ref={group}>
      <legend>{legend}</legend>
      {children}
    </fieldset>
  );
}
