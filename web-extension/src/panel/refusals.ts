/** What a person reads when a request was refused: a text per code, never the peer's own words. */
import type { RefusalCode } from "../bridge/panel-port";
import { type MessageKey, t } from "./i18n";

const TEXTS: Record<RefusalCode, MessageKey> = {
  "bad-request": "refusedBadRequest",
  "not-found": "refusedNotFound",
  conflict: "refusedConflict",
  forbidden: "refusedForbidden",
  "too-large": "refusedTooLarge",
  "provider-failed": "refusedProviderFailed",
  "storage-failed": "refusedStorageFailed",
  unsupported: "refusedUnsupported",
  "not-connected": "refusedNotConnected",
  "page-unreadable": "refusedPageUnreadable",
  "pairing-refused": "refusedPairing",
  "media-unavailable": "refusedMedia",
};

/** The sentence for a refusal. */
export function refusalText({ code }: { code: RefusalCode }): string {
  return t(TEXTS[code]);
}
