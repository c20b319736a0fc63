/** A titled part of the options page. */
import type { ComponentChildren, Ref } from "preact";
import { useId } from "preact/hooks";

interface Props {
  title: string;
  /** The heading, for who has to give it the focus. */
  heading?: Ref<HTMLHeadingElement>;
  children: ComponentChildren;
}

/** The part with its heading. */
export function Section({ title, heading = null, children }: Props) {
  const name = useId();
  return (
    <section class="section" aria-labelledby={name}>
      <h2 id={name} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </section>
  );
}
