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

/** The declaration of all tools for the worker. */
export function registration(): SetHostTools {
  const tools = PAGE_TOOLS.map(({ name, label, description, parameters }) => ({
    name,
    label,
    description,
    parameters: { ...parameters },
  }));
  return { type: "set_host_tools", tools };
}
