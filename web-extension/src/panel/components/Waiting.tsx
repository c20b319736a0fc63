/**
 * Shows that a turn is alive. It counts only after a while, and says so when nothing at all was heard, because a calm
 * picture over a dead connection would be a lie.
 */
import type { TurnView } from "../../bridge/panel-port";
import { useNow } from "../hooks";
import { t } from "../i18n";
import type { Pulse } from "../state";

const COUNT_AFTER_MS = 5000;
/** The worker shows life at least every ten seconds. */
const SILENT_AFTER_MS = 30_000;

/** The waiting row under a running turn. */
export function Waiting({ turn, pulse, asking }: { turn: TurnView; pulse: Pulse | null; asking: boolean }) {
  const now = useNow(true, 1000);
  const since = turn.text === "" ? turn.startedAt : (pulse?.textAt ?? turn.startedAt);
  const waited = Math.max(0, now - since);
  if (asking) return <p class="waiting">{t("consentWaits")}</p>;
  const silent = pulse !== null && now - pulse.aliveAt > SILENT_AFTER_MS;
  if (turn.text !== "" && waited < COUNT_AFTER_MS && turn.resending !== true) return <WritingMark />;
  return (
    <div class="waiting">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span>{waitingText(turn, now)}</span>
      {waited >= COUNT_AFTER_MS && <span class="waiting-time">{t("elapsedSeconds", Math.floor(waited / 1000))}</span>}
      {silent && <span class="waiting-silent">{t("waitingSilent")}</span>}
    </div>
  );
}

function WritingMark() {
  return (
    <div class="waiting waiting-small" aria-hidden="true">
      <span class="dots">
        <i />
        <i />
        <i />
      </span>
    </div>
  );
}

function waitingText(turn: TurnView, now: number): string {
  if (turn.retryAt !== undefined && turn.retryAt > now) return t("retryingIn", Math.ceil((turn.retryAt - now) / 1000));
  if (turn.resending === true) return t("resending");
  if (turn.notices.includes("retrying") && turn.text === "") return t("noticeRetrying");
  if (turn.pending === true) return t("waitingForWorker");
  return turn.text === "" ? t("thinking") : t("stillWorking");
}
