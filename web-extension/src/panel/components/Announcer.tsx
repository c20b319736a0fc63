/** The one place where screen readers are told something: politely, and once. */

/** A live region; a changed `serial` makes the same text be said again. */
export function Announcer({ text, serial }: { text: string; serial: number }) {
  return (
    <div class="visually-hidden" role="status" aria-live="polite" aria-atomic="true">
      {text !== "" && <span key={serial}>{text}</span>}
    </div>
  );
}
