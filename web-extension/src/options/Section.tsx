/** A titled part of the options page. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** The part with its heading. */
export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useId();
  return (
    <section class="section" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {children}
    </section>
  );
}
