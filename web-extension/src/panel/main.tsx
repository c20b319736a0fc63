/** Draws the side panel. */
import { render } from "preact";
import { App } from "./App";
import { t } from "./i18n";
import { start } from "./start";

/** Starts the panel in the page's root element. */
export async function main(): Promise<void> {
  const root = document.getElementById("root");
  if (root === null) return;
  document.title = t("extensionName");
  document.documentElement.lang = chrome.i18n.getUILanguage();
  render(<App started={await start()} />, root);
}
