/** Gives the API response that the page was built from, as the capture code saw and redacted it. */
import { ToolError } from "./errors";
import { type LookingTool, text } from "./tool";

/** The tool `page_api`. */
export const pageApi: LookingTool = {
  name: "page_api",
  description:
    "Gives the API response that the page shows (the resource's JSON with its status), with secrets hidden. Exact where " +
    "the page only shows a part. Not every page has one.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  does: "read",
  async run(call) {
    const result = await call.world.captureTab(call.tabId);
    if (!result.ok) throw new ToolError(CODES[result.fault]);
    const { api } = result.capture.snapshot;
    if (api !== null) {
      const cut = api.truncated ? "\n[some of it was left out because of its size]" : "";
      return text(`${api.url} (status ${api.status})\n${JSON.stringify(api.body)}${cut}`);
    }
    const { api: state } = await call.world.pageStateOf(call.tabId);
    return text(WHY_NOT[state]);
  },
};

const CODES = {
  "no-tab": "page-gone",
  "blocked-by-policy": "blocked-by-policy",
  "restricted-page": "unreadable-page",
  "needs-permission": "unreadable-page",
  "capture-failed": "unreadable-page",
} as const;

const WHY_NOT = {
  captured: "no API response belongs to what the page shows now",
  none: "the page has received no API response that describes what it shows; use page_snapshot",
  "needs-grant":
    "API responses are not captured on this site; the person can allow it in the panel, then reload the page",
  "needs-reload": "API responses are captured after the next load of the page; ask the person to reload it",
} as const;
