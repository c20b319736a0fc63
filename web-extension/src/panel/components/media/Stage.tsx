/** The place where media is shown: it has its size before anything is loaded, and says how far loading is or why not. */
import type { ComponentChildren } from "preact";
import type { MediaDescriptor } from "../../../media/descriptor";
import type { FetchFault } from "../../../media/fetch";
import { formatBytes } from "../../format";
import { t } from "../../i18n";
import { altOf, faultText } from "../../media/words";
import { Icon } from "../Icon";

/** Proportions of what does not say its own. */
const UNKNOWN = { width: 640, height: 360 };

/** Nothing is larger than a side panel can be; more would only overflow the arithmetic of the style sheet. */
const LARGEST_PX = 10_000;

/** A frame with the proportions of the media. */
export function Stage({ media, children }: { media: MediaDescriptor; children: ComponentChildren }) {
  const { width = UNKNOWN.width, height = UNKNOWN.height } = media;
  const known = media.width !== undefined && media.height !== undefined ? { width, height } : UNKNOWN;
  const style = { "--w": Math.min(known.width, LARGEST_PX), "--h": Math.min(known.height, LARGEST_PX) };
  return (
    <div class="media-stage" style={style}>
      {children}
    </div>
  );
}

/** How much of a file has arrived. */
export function Progress({ media, loaded, bytes }: { media: MediaDescriptor; loaded: number; bytes: number }) {
  const share = { "--share": `${Math.min(1, loaded / bytes) * 100}%` };
  return (
    <div class="media-note media-loading">
      <div
        class="media-progress"
        role="progressbar"
        aria-label={t("mediaLoading", altOf(media))}
        aria-valuemin={0}
        aria-valuemax={bytes}
        aria-valuenow={loaded}
        aria-valuetext={t("mediaProgress", formatBytes(loaded), formatBytes(bytes))}
        style={share}
      />
      <span aria-hidden="true">{t("mediaProgress", formatBytes(loaded), formatBytes(bytes))}</span>
    </div>
  );
}

/** Asks for a file that is too large to be fetched unasked. */
export function LoadButton({ bytes, load }: { bytes: number; load: () => void }) {
  return (
    <button type="button" class="media-load" onClick={load}>
      <span class="media-load-mark">
        <Icon name="play" />
      </span>
      {t("mediaLoad", formatBytes(bytes))}
    </button>
  );
}

/** Why nothing is shown, what it would have shown, and another try. */
export function Failure({ media, fault, retry }: { media: MediaDescriptor; fault: FetchFault; retry: () => void }) {
  return (
    <div class="media-note media-failed">
      <p class="media-alt">
        <Icon name="image" />
        <bdi>{altOf(media)}</bdi>
      </p>
      <p class="media-fault">{faultText(fault)}</p>
      <button type="button" class="button small" onClick={retry}>
        {t("tryAgain")}
      </button>
    </div>
  );
}
