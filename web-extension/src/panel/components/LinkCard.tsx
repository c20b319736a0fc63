/** Why Sidewire cannot be reached: one sentence, the one command that fixes it, and another way in. */
import type { Link } from "../../bridge/panel-port";
import { usePanel } from "../context";
import { useNow } from "../hooks";
import { t } from "../i18n";
import { FAULT_HELP } from "../link-faults";
import { visibleText } from "../visible-text";
import { Command } from "./Command";
import { Icon } from "./Icon";
import { PairForm } from "./PairForm";

/** The card of a connection that is down. */
export function LinkCard({ link: { fault, detail, nextTryAt = 0 } }: { link: Extract<Link, { state: "down" }> }) {
  const { send } = usePanel();
  const now = useNow(nextTryAt > 0, 1000);
  const help = FAULT_HELP[fault];
  return (
    <section class="card card-link" aria-label={t(help.title)} data-fault={fault}>
      <p class="card-title">
        <Icon name="warning" />
        {t(help.title)}
      </p>
      <p class="hint">{t("runThis")}</p>
      <Command line={help.command} />
      <div class="button-row">
        <button type="button" class="button primary" onClick={() => send({ kind: "reconnect" })}>
          {t("tryAgain")}
        </button>
        {nextTryAt > now && <span class="hint">{t("retryingIn", Math.ceil((nextTryAt - now) / 1000))}</span>}
      </div>
      <details class="more">
        <summary>{t("whatDoesThisMean")}</summary>
        <p>{t(help.meaning)}</p>
        {detail !== undefined && detail !== "" && <p class="detail-text">{visibleText(detail)}</p>}
      </details>
      {help.pairing && (
        <details class="more">
          <summary>{t("pairInstead")}</summary>
          <p>{t("pairExplained")}</p>
          <Command line="sidewire pair" />
          <PairForm />
        </details>
      )}
    </section>
  );
}
