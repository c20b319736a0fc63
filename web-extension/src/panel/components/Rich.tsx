/** A message with elements in the place of its placeholders: the sentence stays one message, whatever stands in it. */
import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import { type MessageKey, t } from "../i18n";

/** Private-use characters that no catalogue holds. What is put in never passes through the message's text. */
const MARK = /\ue000(\d+)\ue001/;

/** The message; the first part stands for its first placeholder. */
export function Rich({ message, parts }: { message: MessageKey; parts: readonly ComponentChildren[] }) {
  const text = t(message, ...parts.map((_part, index) => `\ue000${index}\ue001`));
  return (
    <>
      {text.split(MARK).map((piece, index) => (
        <Fragment key={`${index}`}>{index % 2 === 0 ? piece : parts[Number(piece)]}</Fragment>
      ))}
    </>
  );
}
