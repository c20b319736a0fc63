/** The policy that whoever manages this browser has set; it is shown, and nothing here can change it. */
import { t } from "../panel/i18n";
import { visibleText } from "../panel/visible-text";
import { Section } from "./Section";
import { usePolicy } from "./use-policy";

/** The policy part. */
export function ManagedPolicy() {
  const policy = usePolicy();
  if (policy === null) return null;
  const { allowedDomains, blockedUrlPatterns, confirmBeforeMutating } = policy;
  const none = allowedDomains.length === 0 && blockedUrlPatterns.length === 0 && !confirmBeforeMutating;
  return (
    <Section title={t("policy")}>
      {none ? <p>{t("policyNone")}</p> : <p class="hint">{t("policyExplained")}</p>}
      <Rules title={t("policyAllowed")} rules={allowedDomains} />
      <Rules title={t("policyBlocked")} rules={blockedUrlPatterns} />
      {confirmBeforeMutating && <p>{t("policyConfirm")}</p>}
    </Section>
  );
}

function Rules({ title, rules }: { title: string; rules: readonly string[] }) {
  if (rules.length === 0) return null;
  return (
    <div class="rules">
      <p>{title}</p>
      <ul class="list" aria-label={title}>
        {rules.map((rule) => (
          <li key={rule} class="list-row">
            <code>{visibleText(rule)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
