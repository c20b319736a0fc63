/** One tool call as one line; start, progress and end of a call are the same row. It opens to what went in and out. */
import { useState } from "preact/hooks";
import type { ToolRow as Tool } from "../../contract/types";
import { formatDuration } from "../format";
import { useNow } from "../hooks";
import { t } from "../i18n";
import { plainLine } from "../plain-line";
import { toolIcon, toolName } from "../tools";
import { visibleText } from "../visible-text";
import { Icon } from "./Icon";
import { ToolDetail } from "./ToolDetail";

const LONGEST_LABEL = 160;
const LONGEST_PROGRESS = 120;
const COUNT_AFTER_MS = 1000;

/** What a tool does or did, how it went, how long it took; `live` while its turn can still change. */
export function ToolRow({ tool, live }: { tool: Tool; live: boolean }) {
  const [open, setOpen] = useState(false);
  const state = stateOf(tool, live);
  const running = state === "running";
  return (
    <div class={`tool tool-${state}`}>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name={toolIcon(tool.tool)} />
          <span class="tool-label">
            <bdi>
              {tool.label === undefined ? visibleText(toolName(tool.tool)) : plainLine(tool.label, LONGEST_LABEL)}
            </bdi>
          </span>
          <ToolState state={state} />
          {running ? <Elapsed /> : tool.ms !== undefined && <span class="tool-time">{formatDuration(tool.ms)}</span>}
          <Icon name="right" />
        </summary>
        {open && <ToolDetail tool={tool} state={state} />}
      </details>
      {running && tool.output !== undefined && !open && (
        <p class="tool-progress">
          <bdi>{plainLine(tool.output, LONGEST_PROGRESS)}</bdi>
        </p>
      )}
    </div>
  );
}

/** How a call went; `ended` is one whose turn was over before it was. */
export type ToolOutcome = "running" | "ok" | "failed" | "ended" | "unknown";

function stateOf(tool: Tool, live: boolean): ToolOutcome {
  if (tool.phase !== "finished") return live ? "running" : "ended";
  if (tool.ok === undefined) return "unknown";
  return tool.ok ? "ok" : "failed";
}

/** Counts from when the row appeared: the worker says how long a call took only when it has ended. */
function Elapsed() {
  const [since] = useState(() => Date.now());
  const passed = useNow(true, 1000) - since;
  return passed < COUNT_AFTER_MS ? null : (
    <span class="tool-time">{t("elapsedSeconds", Math.floor(passed / 1000))}</span>
  );
}

function ToolState({ state }: { state: ToolOutcome }) {
  switch (state) {
    case "running":
      return <span class="spinner" role="img" aria-label={t("toolRunning")} />;
    case "ok":
      return <Mark icon="check" label={t("toolOk")} />;
    case "failed":
      return <Mark icon="cross" label={t("toolFailed")} />;
    case "ended":
      return <Mark icon="minus" label={t("toolEnded")} />;
    case "unknown":
      return null;
  }
}

function Mark({ icon, label }: { icon: "check" | "cross" | "minus"; label: string }) {
  return (
    <span class="tool-mark" role="img" aria-label={label}>
      <Icon name={icon} />
    </span>
  );
}
