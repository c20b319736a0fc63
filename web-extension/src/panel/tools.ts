/** What the tools are called and drawn as; a tool nobody here knows gets a name made from its own. Pure. */
import type { IconName } from "./components/Icon";
import { type MessageKey, t } from "./i18n";

interface Known {
  icon: IconName;
  name: MessageKey;
}

const KNOWN: ReadonlyMap<string, Known> = new Map<string, Known>([
  ["page_snapshot", { icon: "eye", name: "toolPageSnapshot" }],
  ["page_text", { icon: "eye", name: "toolPageText" }],
  ["page_find", { icon: "search", name: "toolPageFind" }],
  ["page_screenshot", { icon: "camera", name: "toolPageScreenshot" }],
  ["page_api", { icon: "data", name: "toolPageApi" }],
  ["wait_for", { icon: "clock", name: "toolWaitFor" }],
  ["page_click", { icon: "pointer", name: "toolPageClick" }],
  ["page_fill", { icon: "keyboard", name: "toolPageFill" }],
  ["page_select", { icon: "list", name: "toolPageSelect" }],
  ["page_press", { icon: "keyboard", name: "toolPagePress" }],
  ["page_scroll", { icon: "scroll", name: "toolPageScroll" }],
  ["page_navigate", { icon: "go", name: "toolPageNavigate" }],
  ["highlight", { icon: "pen", name: "toolHighlight" }],
  ["annotate", { icon: "pen", name: "toolAnnotate" }],
  ["display_media", { icon: "image", name: "toolDisplayMedia" }],
]);

/** The icon of a tool. */
export function toolIcon(tool: string): IconName {
  return KNOWN.get(tool)?.icon ?? "tool";
}

/** The name of a tool as a person reads it; `search_docs` becomes "Search docs". */
export function toolName(tool: string): string {
  const known = KNOWN.get(tool);
  if (known !== undefined) return t(known.name);
  const words = tool.replaceAll(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
