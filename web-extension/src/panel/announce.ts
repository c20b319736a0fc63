/** What screen readers are told when a turn ended: once, and with the beginning of the answer. Pure. */
import type { TurnView } from "../bridge/panel-port";
import { t } from "./i18n";
import { visibleText } from "./visible-text";

/** Longer texts are read in the transcript, at the reader's own pace. */
const LONGEST = 300;

/** The announcement for a turn that ended. */
export function announcementFor(turn: TurnView): string {
  switch (turn.state) {
    case "done":
      return t("announceAnswer", beginning(turn.text));
    case "stopped":
      return t("stopped");
    case "failed":
      return t("announceFailed");
    case "running":
      return "";
  }
}

function beginning(markdown: string): string {
  const plain = visibleText(markdown)
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*_#>|~]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}
