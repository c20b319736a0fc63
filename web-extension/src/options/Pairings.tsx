/** The browsers that may reach the worker without the native host; each can be shut out. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { PairingItem } from "../contract/types";
import { Command } from "../panel/components/Command";
import { PairForm } from "../panel/components/PairForm";
import { usePanel } from "../panel/context";
import { formatDay, formatTime } from "../panel/format";
import { t } from "../panel/i18n";
import { bodyOf } from "../panel/port";
import { refusalText } from "../panel/refusals";
import { visibleText } from "../panel/visible-text";
import { Section } from "./Section";

/** The pairings part. */
export function Pairings({ ready }: { ready: boolean }) {
  const { request } = usePanel();
  const [items, setItems] = useState<PairingItem[] | null>(null);
  const [problem, setProblem] = useState("");
  const load = useCallback(async () => {
    const answer = await request({ kind: "pairings" });
    setProblem(answer.ok ? "" : refusalText(answer));
    setItems(bodyOf(answer, "pairings")?.items ?? null);
  }, [request]);
  useEffect(() => {
    if (ready) void load();
  }, [ready, load]);
  const revoke = async (item: PairingItem) => {
    const answer = await request({ kind: "revoke", keyId: item.keyId });
    // This browser's own key opens nothing any more: keeping it would only make it try.
    if (answer.ok && item.current === true) await request({ kind: "forget-pairing" });
    if (answer.ok) await load();
    else setProblem(refusalText(answer));
  };
  return (
    <Section title={t("pairings")}>
      <p class="hint">{t("pairExplained")}</p>
      {problem !== "" && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
      {items?.length === 0 && <p>{t("pairingsNone")}</p>}
      {items !== null && items.length > 0 && (
        <ul class="list">
          {items.map((item) => (
            <Pairing key={item.keyId} item={item} revoke={() => void revoke(item)} />
          ))}
        </ul>
      )}
      <Command line="sidewire pair" />
      <PairForm />
    </Section>
  );
}

function Pairing({ item, revoke }: { item: PairingItem; revoke: () => void }) {
  const now = Date.now();
  const seen = item.lastSeenAt ?? item.createdAt;
  const label = visibleText(item.label);
  return (
    <li class="list-row">
      <span class="list-text">
        <bdi>{item.current === true ? t("pairingThis", label) : label}</bdi>
        <span class="hint">{t("pairingSeen", formatDay(seen, now), formatTime(seen))}</span>
      </span>
      <button type="button" class="button small" aria-label={t("pairingRevokeOf", label)} onClick={revoke}>
        {t("pairingRevoke")}
      </button>
    </li>
  );
}
