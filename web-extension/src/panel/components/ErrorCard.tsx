/** Why a turn failed: one sentence per reason and the one action that helps. Whatever was received stays above it. */
import type { ChatErrorReason } from "../../contract/types";
import { type MessageKey, t } from "../i18n";
import { Icon } from "./Icon";

/** What a person can do about a failure. */
type Recovery = "retry" | "set-up" | "edit" | "jump";

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
  recover: (recovery: Recovery) => void;
}

/** The failure of a turn. */
export function ErrorCard({ reason, partial, recover }: Props) {
  // The worker may be newer than this page: a reason it made up since must still end the turn visibly.
  const failure: Failure = Object.hasOwn(FAILURES, reason) ? FAILURES[reason] : FAILURES.unknown;
  return (
    <div class="card card-error">
      <p class="card-title">
        <Icon name="warning" />
        {t(failure.text)}
      </p>
      {partial && <p class="hint">{t("partialKept")}</p>}
      <div class="button-row">
        <button type="button" class="button" onClick={() => recover(failure.recovery)}>
          {t(LABELS[failure.recovery])}
        </button>
      </div>
    </div>
  );
}
