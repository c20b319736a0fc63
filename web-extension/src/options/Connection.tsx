/** How this browser reaches the worker, what is wrong with it, and both versions. */
import type { Link } from "../bridge/panel-port";
import { LinkCard } from "../panel/components/LinkCard";
import { t } from "../panel/i18n";
import { Section } from "./Section";

/** State of the connection. */
export function Connection({ link }: { link: Link }) {
  return (
    <Section title={t("connection")}>
      {link.state === "down" ? <LinkCard link={link} /> : <p>{stateText(link)}</p>}
      <dl class="facts">
        <dt>{t("versionExtension")}</dt>
        <dd>{chrome.runtime.getManifest().version}</dd>
        <dt>{t("versionWorker")}</dt>
        <dd>{link.state === "ready" ? link.workerVersion : t("unknown")}</dd>
      </dl>
    </Section>
  );
}

function stateText(link: Exclude<Link, { state: "down" }>): string {
  switch (link.state) {
    case "connecting":
      return t("connecting");
    case "reconnecting":
      return t("reconnecting");
    case "ready":
      return link.transport === "native" ? t("connectedNative") : t("connectedSocket");
  }
}
