/** A picture, and the same picture large when it is pressed. */
import { useState } from "preact/hooks";
import type { MediaAsset, MediaDescriptor } from "../../../media/descriptor";
import { t } from "../../i18n";
import { useAsset } from "../../media/use-asset";
import { altOf } from "../../media/words";
import { Icon } from "../Icon";
import { Failure, LoadButton, Progress, Stage } from "./Stage";
import { Viewer } from "./Viewer";
import type { ViewProps } from "./view-props";

interface Props extends ViewProps {
  asset: MediaAsset;
}

/** The picture. */
export function Picture({ media, asset, near }: Props) {
  const [file, retry] = useAsset(asset, near);
  const [large, setLarge] = useState(false);
  // What the browser cannot draw after all is as damaged as what does not hash.
  const [broken, setBroken] = useState("");
  const alt = altOf(media);
  if (file.state === "failed") return <Stage media={media}>{failure(media, file.fault, retry)}</Stage>;
  if (file.state === "ready" && broken === file.url) {
    return <Stage media={media}>{failure(media, "magic", () => setBroken(""))}</Stage>;
  }
  return (
    <Stage media={media}>
      {file.state === "unasked" && <LoadButton bytes={asset.bytes} load={file.load} />}
      {file.state === "loading" && <Progress media={media} loaded={file.loaded} bytes={asset.bytes} />}
      {file.state === "ready" && (
        <button type="button" class="media-open" title={t("mediaOpenLarge")} onClick={() => setLarge(true)}>
          <img class="media-picture" src={file.url} alt={alt} onError={() => setBroken(file.url)} />
          <span class="media-open-mark">
            <Icon name="grow" />
          </span>
        </button>
      )}
      {file.state === "ready" && large && <Viewer media={media} url={file.url} close={() => setLarge(false)} />}
    </Stage>
  );
}

function failure(media: MediaDescriptor, fault: Parameters<typeof Failure>[0]["fault"], retry: () => void) {
  return <Failure media={media} fault={fault} retry={retry} />;
}
