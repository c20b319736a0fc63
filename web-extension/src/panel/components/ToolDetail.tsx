/** What went into a tool and what came out, as text and bounded. */
import type { ToolRow as Tool } from "../../contract/types";
import { t } from "../i18n";
import { prettyInput, shortened } from "../tool-text";
import { visibleText } from "../visible-text";
import { Marked } from "./JsonText";
import type { ToolOutcome } from "./ToolRow";

/** The opened part of a tool row. */
export function ToolDetail({ tool, state }: { tool: Tool; state: ToolOutcome }) {
  const { input = "", output = "" } = tool;
  return (
    <div class="tool-detail">
      <p class="hint">{t("toolDetail", visibleText(tool.tool))}</p>
      {input !== "" && <Part title={t("toolInput")} text={prettyInput(input)} />}
      {output !== "" && <Part title={state === "running" ? t("toolProgress") : t("toolOutput")} text={output} />}
      {input === "" && output === "" && <p class="hint">{t("toolNothing")}</p>}
    </div>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  const shown = shortened(text);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text has to be reachable by keyboard */}
      <pre class="tool-text" dir="auto" tabIndex={0}>
        <Marked text={shown} />
      </pre>
      {shown.length < text.length && <p class="hint">{t("toolCut")}</p>}
    </section>
  );
}
