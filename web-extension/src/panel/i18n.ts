/**
 * The one way to a text a person reads: message keys are checked against the English catalogue at compile time.
 *
 * A sentence is always one message; counts choose between `_one` and `_other` messages by the rules of the language.
 */
import type catalogue from "../../public/_locales/en/messages.json";

/** A key of the message catalogue. */
export type MessageKey = keyof typeof catalogue;

/** A message that exists once per plural form. */
export type PluralKey = MessageKey extends infer Key ? (Key extends `${infer Stem}_other` ? Stem : never) : never;

/** The text of a message in the person's language, with its placeholders filled in order. */
export function t(key: MessageKey, ...values: (string | number)[]): string {
  return chrome.i18n.getMessage(key, values.map(String));
}

/** The text of a counted message; the count itself is its first placeholder. */
export function counted(stem: PluralKey, count: number, ...values: (string | number)[]): string {
  const one = new Intl.PluralRules(language()).select(count) === "one";
  return t(one ? `${stem}_one` : `${stem}_other`, formatCount(count), ...values);
}

/** The language of the browser's own interface, as a BCP 47 tag. */
export function language(): string {
  return chrome.i18n.getUILanguage();
}

function formatCount(count: number): string {
  return new Intl.NumberFormat(language()).format(count);
}
