/** JSON as text, with every hidden value marked. */
import { visibleText } from "../visible-text";

const REDACTED = "[redacted]";

/** The text, character for character, except that controls which cannot be seen are named. */
export function JsonText({ text }: { text: string }) {
  return (
    <pre class="json">
      <Marked text={text} />
    </pre>
  );
}

/** Text in which redacted values stand out. */
export function Marked({ text }: { text: string }) {
  const [first, ...rest] = visibleText(text).split(REDACTED);
  return (
    <>
      {first}
      {rest.map((part, index) => (
        <>
          <mark key={`mark-${index}`}>{REDACTED}</mark>
          {part}
        </>
      ))}
    </>
  );
}
