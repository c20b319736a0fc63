/**
 * A text field that is as tall as its text, from one line to eight. The height comes from CSS: a hidden copy of the
 * text shares the grid cell, so typing never waits for a layout to be read.
 */
import type { Ref, TextareaHTMLAttributes } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  value: string;
  label: string;
  placeholder?: string;
  autoFocus?: boolean;
  onInput: (value: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  field?: Ref<HTMLTextAreaElement>;
  /** More attributes, such as the relation to a list of commands. */
  more?: TextareaHTMLAttributes<HTMLTextAreaElement>;
}

/** The growing text field. */
export function GrowingText({ value, label, placeholder, autoFocus = false, onInput, onKeyDown, field, more }: Props) {
  const own = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (autoFocus) own.current?.focus();
  }, [autoFocus]);
  return (
    <div class="growing" data-text={value}>
      <textarea
        {...more}
        ref={field ?? own}
        rows={1}
        dir="auto"
        value={value}
        aria-label={label}
        {...(placeholder === undefined ? {} : { placeholder })}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
