/** A surface that covers the panel for a while: history, preview. A native modal dialog, so focus stays inside. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { IconButton } from "./IconButton";

interface Props {
  title: string;
  close: () => void;
  children: ComponentChildren;
}

/** A titled sheet; Esc closes it. */
export function Sheet({ title, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog class="sheet" ref={dialog} aria-labelledby={heading} onClose={close} onKeyDown={keepEscape}>
      <header class="sheet-head">
        <h2 id={heading}>{title}</h2>
        <IconButton icon="close" label={t("close")} onClick={close} />
      </header>
      {children}
    </dialog>
  );
}

/** Esc closes the sheet and is heard no further out: it must not stop the answer behind it as well. */
function keepEscape(event: KeyboardEvent): void {
  if (event.key === "Escape") event.stopPropagation();
}
