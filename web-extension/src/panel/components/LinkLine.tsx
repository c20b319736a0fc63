/** A thin line that says the connection is being made again, or lacks something. The transcript stays usable meanwhile. */
import type { Link } from "../../bridge/panel-port";
import { useNow } from "../hooks";
import { t } from "../i18n";

/** A gap shorter than this is not worth a word. */
const QUIET_MS = 1000;

interface Props {
  link: Link;
  /** Since when the page has lost the service worker itself. */
  portLostAt: number | null;
}

/** The line at the top; nothing while all is well. */
export function LinkLine({ link, portLostAt }: Props) {
  const since = portLostAt ?? (link.state === "reconnecting" ? link.sinceMs : null);
  const now = useNow(since !== null || link.state === "connecting", 500);
  if (link.state === "connecting" && since === null) return <Line text={t("connecting")} />;
  if (since === null && link.state === "ready" && link.toolsRefused === true) {
    return <div class="link-line">{t("toolsRefused")}</div>;
  }
  if (since === null || now - since < QUIET_MS) return null;
  const next = link.state === "reconnecting" ? link.nextTryAt : undefined;
  const inSeconds = next === undefined ? 0 : Math.ceil((next - now) / 1000);
  return <Line text={inSeconds > 0 ? t("reconnectingIn", inSeconds) : t("reconnecting")} />;
}

/** Not a live region: the seconds would be read out one by one. */
function Line({ text }: { text: string }) {
  return (
    <div class="link-line">
      <span class="link-line-bar" aria-hidden="true" />
      {text}
    </div>
  );
}
