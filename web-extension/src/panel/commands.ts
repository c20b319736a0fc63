/** The commands that `/` offers. Only what works is listed. Pure. */
import type { IconName } from "./components/Icon";
import { type MessageKey, t } from "./i18n";

/** What a command does. */
export type CommandId = "new" | "history" | "find" | "preview" | "page" | "settings";

/** A command as it is offered. */
export interface Command {
  id: CommandId;
  name: string;
  hint: string;
  icon: IconName;
}

const COMMANDS: readonly { id: CommandId; name: MessageKey; hint: MessageKey; icon: IconName }[] = [
  { id: "new", name: "commandNew", hint: "commandNewHint", icon: "plus" },
  { id: "history", name: "commandHistory", hint: "commandHistoryHint", icon: "history" },
  { id: "preview", name: "commandPreview", hint: "commandPreviewHint", icon: "eye" },
  { id: "page", name: "commandPage", hint: "commandPageHint", icon: "page" },
  { id: "find", name: "commandFind", hint: "commandFindHint", icon: "search" },
  { id: "settings", name: "commandSettings", hint: "commandSettingsHint", icon: "settings" },
];

/** The commands that fit what was typed; none unless the text is a slash and the start of one word. */
export function commandsFor(text: string): Command[] {
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  return COMMANDS.map(({ id, name, hint, icon }) => ({ id, name: t(name), hint: t(hint), icon })).filter(({ name }) =>
    name.toLowerCase().startsWith(typed),
  );
}
