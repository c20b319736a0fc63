/** Copy and ask again for a finished answer, with what made it. */
import type { TurnView } from "../../bridge/panel-port";
import { formatNumber } from "../format";
import { t } from "../i18n";
import { visibleText } from "../visible-text";
import { CopyButton } from "./CopyButton";
import { IconButton } from "./IconButton";

/** The line under an answer. */
export function AnswerActions({ turn, regenerate }: { turn: TurnView; regenerate: (() => void) | null }) {
  return (
    <div class="answer-actions">
      <span class="row-actions">
        <CopyButton text={visibleText(turn.text)} label={t("copyAnswer")} />
        {regenerate !== null && <IconButton icon="again" label={t("regenerate")} onClick={regenerate} />}
      </span>
      <span class="answer-origin">{originOf(turn)}</span>
    </div>
  );
}

function originOf(turn: TurnView): string {
  if (turn.model === undefined) return "";
  const model = visibleText(turn.model);
  if (turn.usage === undefined) return model;
  return t("answerOrigin", model, formatNumber(turn.usage.inputTokens), formatNumber(turn.usage.outputTokens));
}
