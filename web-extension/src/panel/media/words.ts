/** The words that stand for media: what it is, where it comes from, why it is not there. Pure. */
import type { MediaDescriptor } from "../../media/descriptor";
import type { FetchFault } from "../../media/fetch";
import { type MessageKey, t } from "../i18n";
import { linkTarget, safeLink } from "../markdown/sanitise";
import { toolName } from "../tools";
import { visibleText } from "../visible-text";

const KINDS: Record<MediaDescriptor["kind"], MessageKey> = {
  image: "mediaImage",
  animation: "mediaAnimation",
  video: "mediaVideo",
  "raster-timeline": "mediaTimeline",
  "text-timeline": "mediaTextTimeline",
};

/** What stands for the media where it cannot be seen: its alternative text, else its caption, else its kind. */
export function altOf({ alt = "", caption = "", kind }: Pick<MediaDescriptor, "alt" | "caption" | "kind">): string {
  const words = [alt, caption].map((text) => visibleText(text).trim()).find((text) => text !== "");
  return words ?? t(KINDS[kind]);
}

/** Where media comes from; `href` when a person may go there. */
export function sourceOf({ provenance }: MediaDescriptor): { text: string; href?: string; title?: string } {
  const { source, sourceType } = provenance;
  if (sourceType === "tool") return { text: toolSource(source) };
  const url = safeLink(source);
  return url === null
    ? { text: t("mediaSource", visibleText(source)) }
    : { text: t("mediaSource", url.host), href: url.href, title: linkTarget(url) };
}

function toolSource(tool: string): string {
  switch (tool) {
    case "page_screenshot":
      return t("mediaOfPage");
    case "display_media":
      return t("mediaByAssistant");
    default:
      return t("mediaSource", visibleText(toolName(tool)));
  }
}

/** Why a file is not shown. What was received and did not hold together is never shown in part. */
export function faultText(fault: FetchFault): string {
  switch (fault) {
    case "not-connected":
    case "late":
      return t("mediaNotReached");
    case "unavailable":
    case "ended":
      return t("mediaUnavailable");
    case "too-large":
      return t("mediaTooLarge");
    default:
      return t("mediaDamaged");
  }
}
