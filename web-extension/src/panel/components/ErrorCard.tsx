/** Why a turn failed: one sentence per reason and the one action that helps. Whatever was received stays above it. */
import type { ChatErrorReason } from "../../contract/types";
import { useNow } from "../hooks";
import { type MessageKey, t } from "../i18n";
import { Icon } from "./Icon";

/** What a person can do about a failure. */
export type Recovery = "retry" | "set-up" | "edit" | "jump";

/** The reasons of the contract, and one for whatever a newer worker may send. */
export type FailureReason = ChatErrorReason | "unknown";

interface Failure {
  text: MessageKey;
  recovery: Recovery;
}

const FAILURES: Record<FailureReason, Failure> = {
  "bridge-disconnected": { text: "errorBridgeDisconnected", recovery: "retry" },
  "bridge-unresponsive": { text: "errorBridgeUnresponsive", recovery: "retry" },
  "no-worker": { text: "errorNoWorker", recovery: "retry" },
  "session-busy": { text: "errorSessionBusy", recovery: "jump" },
  "session-disposed": { text: "errorSessionDisposed", recovery: "retry" },
  "token-expired": { text: "errorTokenExpired", recovery: "set-up" },
  "token-expiring": { text: "errorTokenExpiring", recovery: "set-up" },
  "provider-auth": { text: "errorProviderAuth", recovery: "set-up" },
  "provider-4xx": { text: "errorProvider4xx", recovery: "edit" },
  "provider-5xx": { text: "errorProvider5xx", recovery: "retry" },
  unknown: { text: "errorUnknown", recovery: "retry" },
};

const LABELS: Record<Recovery, MessageKey> = {
  retry: "tryAgain",
  "set-up": "openModelSetUp",
  edit: "editAndAsk",
  jump: "jumpToRunning",
};

interface Props {
  reason: FailureReason;
  /** The answer broke off half-way and its beginning is shown. */
  partial: boolean;
  /** Something is being answered. */
  busy: boolean;
  /** It will be asked again by itself, and when, if that is known. */
  again: { at: number | undefined } | null;
  recover: (recovery: Recovery) => void;
}

/** The failure of a turn. */
export function ErrorCard({ reason, partial, busy, again, recover }: Props) {
  // The worker may be newer than this page: a reason it made up since must still end the turn visibly.
  const failure: Failure = Object.hasOwn(FAILURES, reason) ? FAILURES[reason] : FAILURES.unknown;
  // Once the other question is answered there is nothing to jump to.
  const recovery = failure.recovery === "jump" && !busy ? "retry" : failure.recovery;
  return (
    <div class="card card-error">
      <p class="card-title">
        <Icon name="warning" />
        {t(failure.text)}
      </p>
      {partial && <p class="hint">{t("partialKept")}</p>}
      {again !== null && <Again at={again.at} />}
      <div class="button-row">
        <button type="button" class="button" onClick={() => recover(recovery)}>
          {t(LABELS[recovery])}
        </button>
      </div>
    </div>
  );
}

function Again({ at = 0 }: { at: number | undefined }) {
  const now = useNow(at > 0, 1000);
  return <p class="hint">{at > now ? t("retryingIn", Math.ceil((at - now) / 1000)) : t("resending")}</p>;
}
