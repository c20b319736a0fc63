/** Which page the next question takes along, how much of it, and a switch to take nothing. */
import type { PageChip, PageFault } from "../../bridge/panel-port";
import { formatBytes } from "../format";
import { type MessageKey, t } from "../i18n";
import type { Pin } from "../state";
import { visibleText } from "../visible-text";
import { Icon } from "./Icon";
import { IconButton } from "./IconButton";
import { Switch } from "./Switch";

/** What a person can do about the page. */
export interface PageActions {
  setAttached: (attached: boolean) => void;
  preview: () => void;
  unpin: () => void;
  attachCurrentTab: () => void;
  /** Asks the browser for access to one site; must run inside the press of a button. */
  grant: (origin: string) => void;
}

interface Props {
  page: PageChip | null;
  attached: boolean;
  pin: Pin | null;
  actions: PageActions;
}

/** The row above the composer. */
export function ContextRow({ page, attached, pin, actions }: Props) {
  if (page === null) return null;
  if (page.state === "unreadable") return <Unreadable page={page} attached={attached} actions={actions} />;
  return (
    <section class="context" aria-label={t("contextLabel")}>
      <div class="context-row">
        <span class={attached && page.offered !== true ? "context-dot on" : "context-dot"} aria-hidden="true" />
        <span class="context-title" title={page.host}>
          <bdi>{visibleText(page.title) || page.host}</bdi>
        </span>
        <span class="context-size">{sizeOf(page, pin)}</span>
        <IconButton icon="eye" label={t("previewOpen")} onClick={actions.preview} />
        <Switch on={attached} label={t("contextSwitch")} set={actions.setAttached} />
      </div>
      <Details page={page} attached={attached} pin={pin} actions={actions} />
    </section>
  );
}

function sizeOf(page: Extract<PageChip, { state: "readable" }>, pin: Pin | null): string {
  const bytes = pin?.bytes ?? page.bytes;
  return bytes === undefined ? "" : formatBytes(bytes);
}

/** At most one line of detail, the most important first. */
function Details(props: Props & { page: Extract<PageChip, { state: "readable" }> }) {
  const { page, attached, pin, actions } = props;
  if (!attached) return <p class="context-detail">{t("contextOff")}</p>;
  if (page.other)
    return (
      <p class="context-detail">
        <span>{t("contextOtherTab")}</span>
        <button type="button" class="link-button" onClick={actions.attachCurrentTab}>
          {t("contextUseThisTab")}
        </button>
      </p>
    );
  if (pin !== null)
    return (
      <p class="context-detail">
        <Icon name="pin" />
        <span>{t("contextPinned")}</span>
        <button type="button" class="link-button" onClick={actions.unpin}>
          {t("contextUnpin")}
        </button>
      </p>
    );
  if (page.selection) return <p class="context-detail">{t("contextSelection")}</p>;
  if (page.api === "needs-reload") return <p class="context-detail">{t("contextApiReload")}</p>;
  if (page.api === "needs-grant") return <GrantForApi url={page.url} host={page.host} actions={actions} />;
  return null;
}

function GrantForApi({ url, host, actions }: { url: string; host: string; actions: PageActions }) {
  const origin = URL.parse(url)?.origin;
  return (
    <p class="context-detail">
      <span>{t("contextApiGrant")}</span>
      {origin !== undefined && (
        <button type="button" class="link-button" onClick={() => actions.grant(origin)}>
          {t("allowSite", host)}
        </button>
      )}
    </p>
  );
}

const FAULTS: Record<PageFault, MessageKey> = {
  "restricted-page": "pageRestricted",
  "blocked-by-policy": "pageBlocked",
  "needs-permission": "pageNeedsPermission",
  "no-tab": "pageNoTab",
  "capture-failed": "pageCaptureFailed",
};

interface UnreadableProps {
  page: Extract<PageChip, { state: "unreadable" }>;
  attached: boolean;
  actions: PageActions;
}

function Unreadable({ page, attached, actions }: UnreadableProps) {
  const { origin, host, fault } = page;
  // Without an origin the browser hides even the address: only a press on the toolbar button shows the page.
  const needsPress = fault === "needs-permission" && origin === undefined;
  return (
    <section class="context" aria-label={t("contextLabel")}>
      <div class="context-row">
        <span class="context-dot" aria-hidden="true" />
        <span class="context-title context-fault">{t(needsPress ? "pageNeedsPress" : FAULTS[fault])}</span>
        {fault === "needs-permission" && origin !== undefined && (
          <button type="button" class="button small" onClick={() => actions.grant(origin)}>
            {t("allowSite", host ?? origin)}
          </button>
        )}
        {fault === "capture-failed" && (
          <button type="button" class="button small" onClick={actions.attachCurrentTab}>
            {t("tryAgain")}
          </button>
        )}
        <Switch on={attached} label={t("contextSwitch")} set={actions.setAttached} />
      </div>
    </section>
  );
}
