/** All page tools by name, and how the worker is told of them. */
import type { SetHostTools } from "../contract/types";
import { actTools } from "./act-tools";
import { pageApi } from "./api-tool";
import { pageNavigate } from "./navigate";
import { readTools } from "./read-tools";
import { pageScreenshot } from "./screenshot";
import { showTools } from "./show-tools";
import type { PageTool } from "./tool";
import { waitFor } from "./wait-tool";

/** In the order in which the worker offers them. */
export const PAGE_TOOLS: readonly PageTool[] = [
  ...readTools,
  pageScreenshot,
  pageApi,
  waitFor,
  ...actTools,
  pageNavigate,
  ...showTools,
];

const byName = new Map(PAGE_TOOLS.map((tool) => [tool.name, tool]));

/** The tool of that name. */
export function toolNamed(name: string): PageTool | undefined {
  return byName.get(name);
}

/** What a person reads in the row of a call, in their language: `page_click` has the message `toolPageClick`. */
function labelOf(name: string): string {
  const words = name.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return chrome.i18n.getMessage(`tool${words.join("")}`);
}

/** The declaration of all tools for the worker. */
export function registration(): SetHostTools {
  const tools = PAGE_TOOLS.map(({ name, description, parameters }) => ({
    name,
    label: labelOf(name),
    description,
    parameters: { ...parameters },
  }));
  return { type: "set_host_tools", tools };
}
