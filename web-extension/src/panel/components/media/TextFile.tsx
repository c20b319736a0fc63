/** A file of plain text. */
import { useEffect, useState } from "preact/hooks";
import type { MediaAsset } from "../../../media/descriptor";
import { t } from "../../i18n";
import { useAsset } from "../../media/use-asset";
import { altOf } from "../../media/words";
import { shortened } from "../../tool-text";
import { visibleText } from "../../visible-text";
import { Failure, LoadButton, Progress } from "./Stage";
import type { ViewProps } from "./view-props";

const LINES = 12;
/** More than is shown, in whatever script. */
const READ_BYTES = 65_536;

interface Props extends ViewProps {
  asset: MediaAsset;
}

/** The beginning of the text; all of it can be saved. */
export function TextFile({ media, asset, near }: Props) {
  const [file, retry] = useAsset(asset, near);
  const [text, setText] = useState("");
  const blob = file.state === "ready" ? file.blob : null;
  useEffect(() => {
    const life = new AbortController();
    const beginning = blob?.slice(0, READ_BYTES).text();
    beginning?.then(
      (read) => !life.signal.aborted && setText(read),
      () => undefined,
    );
    return () => life.abort();
  }, [blob]);
  const shown = shortened(text);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text has to be reachable by keyboard */}
      <section class="media-text" style={{ "--lines": LINES }} dir="auto" aria-label={altOf(media)} tabIndex={0}>
        {file.state === "unasked" && <LoadButton bytes={asset.bytes} load={file.load} />}
        {file.state === "loading" && <Progress media={media} loaded={file.loaded} bytes={asset.bytes} />}
        {file.state === "failed" && <Failure media={media} fault={file.fault} retry={retry} />}
        {visibleText(shown)}
      </section>
      {shown.length < text.length && <p class="hint">{t("toolCut")}</p>}
    </>
  );
}
