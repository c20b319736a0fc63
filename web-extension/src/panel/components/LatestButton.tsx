/** Leads back to the end of the transcript when the person reads further up. */
import { t } from "../i18n";
import { Icon } from "./Icon";

/** The "latest" button. */
export function LatestButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" class="latest" onClick={onClick}>
      {t("latest")}
      <Icon name="down" />
    </button>
  );
}
