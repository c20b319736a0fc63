/**
 * A button with a small surface that opens beside it. Esc and a press outside close it; the focus goes in when it
 * opens and back to the button when it closes.
 */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useEscape, useOutsidePress } from "../hooks";

interface Props {
  /** What the button shows. */
  button: ComponentChildren;
  /** The button's accessible name and tooltip. */
  label: string;
  class?: string;
  /** What the surface is to screen readers. */
  surface: "menu" | "dialog";
  placement: "below-end" | "above-start";
  children: (close: () => void) => ComponentChildren;
}

const FOCUSABLE = "[role=menuitem], input:checked, input, button, a[href]";

/** The button and its surface. */
export function Popup({ button, label, class: className = "icon-button", surface, placement, children }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  const close = () => {
    setOpen(false);
    trigger.current?.focus();
  };
  useOutsidePress(root, open, () => setOpen(false));
  useLayoutEffect(() => {
    if (open) firstFocus(inside.current)?.focus();
  }, [open]);
  useEscape(root, open, close);
  const role = { role: surface, "aria-label": label };
  return (
    <div class="popup" ref={root}>
      <button
        type="button"
        class={className}
        ref={trigger}
        title={label}
        aria-label={label}
        aria-haspopup={surface}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      {open && (
        <div class={`popup-surface popup-${placement}`} ref={inside} tabIndex={-1} {...role}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

/** A choice that is already made is where the person starts; only then comes what stands first. */
function firstFocus(surface: HTMLElement | null): HTMLElement | null {
  return (
    surface?.querySelector<HTMLElement>("input:checked") ?? surface?.querySelector<HTMLElement>(FOCUSABLE) ?? surface
  );
}
