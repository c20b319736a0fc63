/** One tool call as one line; start and end of a call are the same row. */
import type { ToolRow as Tool } from "../../contract/types";
import { formatDuration } from "../format";
import { t } from "../i18n";
import { visibleText } from "../visible-text";
import { Icon } from "./Icon";

/** What a tool does or did, how it went, how long it took; opens to its technical name. */
export function ToolRow({ tool }: { tool: Tool }) {
  const state = stateOf(tool);
  return (
    <details class={`tool tool-${state}`}>
      <summary>
        <Icon name="tool" />
        <span class="tool-label">{visibleText(tool.label ?? humanName(tool.tool))}</span>
        <ToolState state={state} />
        {tool.ms !== undefined && <span class="tool-time">{formatDuration(tool.ms)}</span>}
        <Icon name="right" />
      </summary>
      <p class="tool-detail">{t("toolDetail", visibleText(tool.tool))}</p>
    </details>
  );
}

type ToolOutcome = "running" | "ok" | "failed" | "unknown";

function stateOf(tool: Tool): ToolOutcome {
  if (tool.phase === "started") return "running";
  if (tool.ok === undefined) return "unknown";
  return tool.ok ? "ok" : "failed";
}

function ToolState({ state }: { state: ToolOutcome }) {
  switch (state) {
    case "running":
      return <span class="spinner" role="img" aria-label={t("toolRunning")} />;
    case "ok":
      return (
        <span class="tool-mark" role="img" aria-label={t("toolOk")}>
          <Icon name="check" />
        </span>
      );
    case "failed":
      return (
        <span class="tool-mark" role="img" aria-label={t("toolFailed")}>
          <Icon name="cross" />
        </span>
      );
    case "unknown":
      return null;
  }
}

/** `page_text` becomes "Page text". */
function humanName(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
