/**
 * What Sidewire may do on sites without asking again; each action, or all of a site, can be taken back. The service
 * worker writes it down.
 */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ActionKind } from "../bridge/panel-port";
import { type Grant, listConversationGrants, listGrants } from "../page-tools/grants-store";
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
  const heading = useRef<HTMLHeadingElement>(null);
  const some = grants !== null && grants.always.length + grants.here.length > 0;
  const lost = () => heading.current?.focus();
  return (
    <Section title={t("grants")} heading={heading}>
      <p class="hint">{t("grantsExplained")}</p>
      {overruled && some && <p>{t("grantsOverruled")}</p>}
      {grants !== null && grants.always.length === 0 && <p>{t("grantsNone")}</p>}
      {grants !== null && <Sites grants={grants.always} lost={lost} />}
      {grants !== null && grants.here.length > 0 && <h3>{t("grantsInConversations")}</h3>}
      {grants !== null && <Sites grants={grants.here} lost={lost} />}
    </Section>
  );
}

interface Lists {
  always: Grant[];
  /** Of any conversation of this run of the browser. */
  here: Grant[];
}

/** The grants as they are stored, also while the panel adds to them; null until they were read. */
function useGrants(): Lists | null {
  const [grants, setGrants] = useState<Lists | null>(null);
  useStored(() => {
    Promise.all([listGrants(), listConversationGrants()]).then(
      ([always, here]) => setGrants({ always, here }),
      () => setGrants({ always: [], here: [] }),
    );
  });
  return grants;
}

interface SitesProps {
  grants: Grant[];
  /** What had the focus is gone, and nothing like it is left. */
  lost: () => void;
}

function Sites({ grants, lost }: SitesProps) {
  if (grants.length === 0) return null;
  return (
    <ul class="list">
      {grants.map((grant) => (
        <Site key={grant.origin} grant={grant} lost={lost} />
      ))}
    </ul>
  );
}

function Site({ grant: { origin, actions }, lost }: { grant: Grant; lost: () => void }) {
  const { announce, request } = usePanel();
  const root = useRef<HTMLLIElement>(null);
  const [failed, setFailed] = useState(false);
  const notePress = useFocusKept(root, actions.length, lost);
  const revoke = async (action?: ActionKind) => {
    notePress();
    const answer = await request({ kind: "revoke-grant", origin, ...(action !== undefined && { action }) });
    setFailed(!answer.ok);
    if (answer.ok) announce(t("grantRevoked"));
  };
  return (
    <li class="list-row grant" ref={root}>
      <div class="list-text">
        <bdi>{origin}</bdi>
        <ul class="grant-actions" aria-label={t("grantActionsOf", origin)}>
          {actions.map((action) => (
            <li key={action}>
              <Action name={t(ACTIONS[action])} origin={origin} revoke={() => void revoke(action)} />
            </li>
          ))}
        </ul>
        {failed && (
          <p class="field-error" role="alert">
            {t("grantNotRevoked")}
          </p>
        )}
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

/**
 * Keeps the focus when the pressed button goes with what it stood for: the next one of the site gets it, or what `lost`
 * names when the site goes too. Returns what notes the press.
 */
function useFocusKept(root: RefObject<HTMLElement | null>, count: number, lost: () => void): () => void {
  const pressed = useRef(-1);
  const latest = useRef(lost);
  latest.current = lost;
  const buttons = () => [...(root.current?.querySelectorAll("button") ?? [])];
  useLayoutEffect(() => {
    if (pressed.current < 0) return;
    const left = buttons();
    left[Math.min(pressed.current, left.length - 1)]?.focus();
    pressed.current = -1;
  }, [count]);
  useLayoutEffect(
    () => () => {
      if (pressed.current >= 0) latest.current();
    },
    [],
  );
  return () => {
    pressed.current = buttons().findIndex((button) => button.contains(document.activeElement));
  };
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
