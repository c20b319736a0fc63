/** Says that another conversation of this window waits for the person, and leads there. */
import { t } from "../i18n";

/** The line. */
export function Elsewhere({ show }: { show: () => void }) {
  return (
    <div class="banner banner-waits">
      <span>{t("waitsElsewhere")}</span>
      <button type="button" class="link-button" onClick={show}>
        {t("waitsElsewhereShow")}
      </button>
    </div>
  );
}
