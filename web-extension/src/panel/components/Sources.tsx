/** The sources an answer cites, as chips under it. An address that is not safe to follow stays plain text. */
import type { Reference } from "../../contract/types";
import { t } from "../i18n";
import { linkTarget, safeLink } from "../markdown/sanitise";
import { visibleText } from "../visible-text";
import { Icon } from "./Icon";

/** The list of sources, each address once. */
export function Sources({ references }: { references: Reference[] }) {
  const unique = [...new Map(references.map((reference) => [reference.url, reference])).values()];
  return (
    <ul class="sources" aria-label={t("sources")}>
      {unique.map((reference) => (
        <li key={reference.url}>
          <Source reference={reference} />
        </li>
      ))}
    </ul>
  );
}

function Source({ reference }: { reference: Reference }) {
  const url = safeLink(reference.url);
  const title = visibleText(reference.title);
  if (url === null) return <span class="source">{title}</span>;
  return (
    <a class="source" href={url.href} target="_blank" rel="noopener noreferrer" title={linkTarget(url)}>
      <span class="source-kind">{reference.kind === "console" ? t("sourceConsole") : t("sourceDocument")}</span>
      <bdi class="source-title">{title || url.host}</bdi>
      <Icon name="link" />
    </a>
  );
}
