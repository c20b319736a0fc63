/** A picture over the whole panel: fitted to it, or as large as it is. */
import { useState } from "preact/hooks";
import type { MediaDescriptor } from "../../../media/descriptor";
import { t } from "../../i18n";
import { altOf } from "../../media/words";
import { Sheet } from "../Sheet";

interface Props {
  media: MediaDescriptor;
  url: string;
  close: () => void;
}

/** The large picture. */
export function Viewer({ media, url, close }: Props) {
  const [whole, setWhole] = useState(true);
  const alt = altOf(media);
  return (
    <Sheet title={alt} close={close}>
      <div class="viewer-bar">
        <fieldset class="segments">
          <legend class="visually-hidden">{t("mediaZoom")}</legend>
          <Segment label={t("mediaFit")} on={whole} press={() => setWhole(true)} />
          <Segment label={t("mediaActualSize")} on={!whole} press={() => setWhole(false)} />
        </fieldset>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
      <section class={`viewer ${whole ? "viewer-fit" : "viewer-actual"}`} aria-label={alt} tabIndex={0}>
        <img src={url} alt={alt} />
      </section>
    </Sheet>
  );
}

function Segment({ label, on, press }: { label: string; on: boolean; press: () => void }) {
  return (
    <button type="button" class="segment" aria-pressed={on} onClick={press}>
      {label}
    </button>
  );
}
