/** The capture seam: what the service worker asks of the capture code, and what it gets. */
import type { CaptureReport, PageFault } from "../bridge/panel-port";
import type { PageContextSnapshot } from "../contract/types";

export interface Capture {
  snapshot: PageContextSnapshot;
  report: CaptureReport;
  /** Text selected on the page, already redacted; also marked in the tree. */
  selection: boolean;
}

export type CaptureResult = { ok: true; capture: Capture } | { ok: false; fault: PageFault };

/** Takes a snapshot of a tab now, bounded in time (1 s) and bytes (64 KiB). Never throws. */
export type CaptureTab = (tabId: number) => Promise<CaptureResult>;

/** Whether API responses of a page can be captured; what the page chip shows. */
export type ApiState = "captured" | "none" | "needs-grant" | "needs-reload";

/** What a page says of itself without being read. */
export interface PageState {
  api: ApiState;
  /** Something is selected on it; absent where nobody could be asked. */
  selection?: boolean;
}

/** Derives the `sessionKey` of a page from `contract/sites.json`: "tenant|env" on a known site, else the origin; null where no page can be. */
export type SessionKeyOf = (url: string) => string | null;
