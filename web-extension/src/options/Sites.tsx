/** The sites this extension may read at any time; each can be taken back. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { useLifetime } from "../panel/hooks";
import { t } from "../panel/i18n";
import { Section } from "./Section";

/** The sites part. */
export function Sites() {
  const [granted, setGranted] = useState<string[]>([]);
  const signal = useLifetime();
  const load = useCallback(async () => setGranted((await chrome.permissions.getAll()).origins ?? []), []);
  useEffect(() => {
    const changed = () => void load();
    chrome.permissions.onAdded.addListener(changed);
    chrome.permissions.onRemoved.addListener(changed);
    signal.addEventListener("abort", () => {
      chrome.permissions.onAdded.removeListener(changed);
      chrome.permissions.onRemoved.removeListener(changed);
    });
    changed();
  }, [load, signal]);
  const required = new Set(chrome.runtime.getManifest().host_permissions ?? []);
  return (
    <Section title={t("sites")}>
      <p class="hint">{t("sitesExplained")}</p>
      {granted.length === 0 && <p>{t("sitesNone")}</p>}
      <ul class="list">
        {granted.map((pattern) => (
          <Site key={pattern} pattern={pattern} fixed={required.has(pattern)} reload={load} />
        ))}
      </ul>
    </Section>
  );
}

function Site({ pattern, fixed, reload }: { pattern: string; fixed: boolean; reload: () => Promise<void> }) {
  const [refused, setRefused] = useState(false);
  const site = pattern.replace(/\/\*$/, "");
  const remove = async () => {
    try {
      setRefused(!(await chrome.permissions.remove({ origins: [pattern] })));
    } catch {
      setRefused(true);
    }
    await reload();
  };
  return (
    <li class="list-row">
      <span class="list-text">
        <bdi>{site}</bdi>
        {(fixed || refused) && <span class="hint">{t("siteFixed")}</span>}
      </span>
      {!fixed && (
        <button type="button" class="button small" aria-label={t("siteRemoveOf", site)} onClick={() => void remove()}>
          {t("siteRemove")}
        </button>
      )}
    </li>
  );
}
