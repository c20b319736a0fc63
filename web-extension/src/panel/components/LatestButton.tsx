/** Leads back to the end of the transcript when the person reads further up. */
import { t } from "../i18n";
import { Icon } from "./Icon";

/** The "latest" button; it says so when something there waits for an answer. */
export function LatestButton({ asking, onClick }: { asking: boolean; onClick: () => void }) {
  return (
    <button type="button" class={asking ? "latest latest-asking" : "latest"} onClick={onClick}>
      {asking ? t("consentWaits") : t("latest")}
      <Icon name="down" />
    </button>
  );
}
