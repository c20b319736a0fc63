/** The first thing a person sees in a new conversation: three questions about the page in view. */
import type { PageChip } from "../../bridge/panel-port";
import { t } from "../i18n";
import { suggestionsFor } from "../suggestions";
import { Icon } from "./Icon";

/** The empty conversation. */
export function EmptyState({ page, ask }: { page: PageChip | null; ask: (text: string) => void }) {
  return (
    <section class="empty" aria-label={t("suggestions")}>
      <p class="empty-title">{page?.state === "readable" ? t("emptyTitlePage") : t("emptyTitle")}</p>
      <ul class="suggestions">
        {suggestionsFor(page).map((text) => (
          <li key={text}>
            <button type="button" class="suggestion" onClick={() => ask(text)}>
              <span>{text}</span>
              <Icon name="right" />
            </button>
          </li>
        ))}
      </ul>
      <p class="hint">{t("emptyHint")}</p>
    </section>
  );
}
