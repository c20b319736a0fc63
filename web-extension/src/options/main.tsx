/** Draws the options page. */
import { render } from "preact";
import { t } from "../panel/i18n";
import { start } from "../panel/start";
import { Options } from "./Options";

/** Starts the options page in its root element. */
export async function main(): Promise<void> {
  const root = document.getElementById("root");
  if (root === null) return;
  document.title = t("optionsTitle");
  document.documentElement.lang = chrome.i18n.getUILanguage();
  render(<Options started={await start()} />, root);
}
