/** What Sidewire may do on sites without asking again; each action, or all of a site, can be taken back. */
import { useState } from "preact/hooks";
import type { ActionKind } from "../bridge/panel-port";
import { type Grant, listGrants, revokeGrant } from "../page-tools/grants-store";
import { Icon } from "../panel/components/Icon";
import { usePanel } from "../panel/context";
import { type MessageKey, t } from "../panel/i18n";
import { Section } from "./Section";
import { usePolicy } from "./use-policy";
import { useStored } from "./use-stored";

const ACTIONS: Record<ActionKind, MessageKey> = {
  click: "actionClick",
  type: "actionType",
  choose: "actionChoose",
  press: "actionPress",
  scroll: "actionScroll",
  navigate: "actionNavigate",
};

/** The grants part. */
export function Grants() {
  const grants = useGrants();
  const overruled = usePolicy()?.confirmBeforeMutating === true;
  return (
    <Section title={t("grants")}>
      <p class="hint">{t("grantsExplained")}</p>
      {overruled && grants !== null && grants.length > 0 && <p>{t("grantsOverruled")}</p>}
      {grants?.length === 0 && <p>{t("grantsNone")}</p>}
      {grants !== null && grants.length > 0 && (
        <ul class="list">
          {grants.map((grant) => (
            <Site key={grant.origin} grant={grant} />
          ))}
        </ul>
      )}
    </Section>
  );
}

/** The grants as they are stored, also while the panel adds to them; null until they were read. */
function useGrants(): Grant[] | null {
  const [grants, setGrants] = useState<Grant[] | null>(null);
  useStored(() => {
    listGrants().then(setGrants, () => setGrants([]));
  });
  return grants;
}

function Site({ grant: { origin, actions } }: { grant: Grant }) {
  const { announce } = usePanel();
  const revoke = async (action?: ActionKind) => {
    await revokeGrant(origin, action);
    announce(t("grantRevoked"));
  };
  return (
    <li class="list-row grant">
      <div class="list-text">
        <bdi>{origin}</bdi>
        <ul class="grant-actions" aria-label={t("grantActionsOf", origin)}>
          {actions.map((action) => (
            <li key={action}>
              <Action name={t(ACTIONS[action])} origin={origin} revoke={() => void revoke(action)} />
            </li>
          ))}
        </ul>
      </div>
      <button
        type="button"
        class="button small"
        aria-label={t("grantRevokeAllOf", origin)}
        onClick={() => void revoke()}
      >
        {t("grantRevokeAll")}
      </button>
    </li>
  );
}

function Action({ name, origin, revoke }: { name: string; origin: string; revoke: () => void }) {
  const label = t("grantRevokeOf", name, origin);
  return (
    <button type="button" class="grant-action" aria-label={label} title={label} onClick={revoke}>
      {name}
      <Icon name="close" />
    </button>
  );
}
