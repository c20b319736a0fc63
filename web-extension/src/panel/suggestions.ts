/** First questions made from the page in view. Pure. */
import type { PageChip } from "../bridge/panel-port";
import { t } from "./i18n";
import { visibleText } from "./visible-text";

const LONGEST_NAME = 40;

/** Three questions a person could ask first about this page, or without any page. */
export function suggestionsFor(page: PageChip | null): [string, string, string] {
  if (page?.state !== "readable") return [t("suggestAbout"), t("suggestPageUse"), t("suggestPrivacy")];
  const name = subjectOf(page.title) || page.host;
  const first = page.selection ? t("suggestSelection") : t("suggestWhat", name);
  return [first, t("suggestChange"), t("suggestSummary")];
}

/** The part of a page title that names its subject: what stands before the site's own name. */
export function subjectOf(title: string): string {
  const first =
    visibleText(title)
      .split(/\s[|–—·-]\s/u, 1)[0]
      ?.trim() ?? "";
  return first.length > LONGEST_NAME ? `${first.slice(0, LONGEST_NAME - 1).trimEnd()}…` : first;
}
