/** Privacy in five sentences. */
import { t } from "../panel/i18n";
import { Section } from "./Section";

/** The privacy part. */
export function Privacy() {
  return (
    <Section title={t("privacy")}>
      <ol class="privacy">
        <li>{t("privacyWhat")}</li>
        <li>{t("privacyWhere")}</li>
        <li>{t("privacySecrets")}</li>
        <li>{t("privacyKept")}</li>
        <li>{t("privacyTelemetry")}</li>
      </ol>
    </Section>
  );
}
