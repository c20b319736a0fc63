/** Offered while no model is set: everything works offline, and this is how to get more. Never in the way. */
import { t } from "../i18n";
import { IconButton } from "./IconButton";
import { ModelSetup } from "./ModelSetup";

/** The set-up card. */
export function SetupCard({ close }: { close: () => void }) {
  return (
    <section class="card card-setup" aria-label={t("setupTitle")}>
      <div class="card-head">
        <p class="card-title">{t("setupTitle")}</p>
        <IconButton icon="close" label={t("setupLater")} onClick={close} />
      </div>
      <p class="hint">{t("setupText")}</p>
      <ModelSetup done={close} />
    </section>
  );
}
