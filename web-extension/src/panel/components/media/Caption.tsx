/** The words of a media card: caption, where it comes from, what is missing of it, and saving it. */
import { useState } from "preact/hooks";
import type { MediaDescriptor } from "../../../media/descriptor";
import { usePanel } from "../../context";
import { formatBytes } from "../../format";
import { t } from "../../i18n";
import { useSave } from "../../media/save";
import { altOf, sourceOf } from "../../media/words";
import { visibleText } from "../../visible-text";
import { Icon } from "../Icon";
import { IconButton } from "../IconButton";

/** The foot of the card. */
export function Caption({ media }: { media: MediaDescriptor }) {
  const { caption = "", degradation = "" } = media;
  return (
    <figcaption class="media-caption">
      {caption.trim() !== "" && (
        <p class="media-words" dir="auto">
          {visibleText(caption)}
        </p>
      )}
      <div class="media-foot">
        <Source media={media} />
        <Save media={media} />
      </div>
      {degradation.trim() !== "" && (
        <p class="hint media-degraded">
          <Icon name="warning" />
          <bdi>{visibleText(degradation)}</bdi>
        </p>
      )}
    </figcaption>
  );
}

function Source({ media }: { media: MediaDescriptor }) {
  const { text, href, title } = sourceOf(media);
  if (href === undefined) return <span class="hint media-source">{text}</span>;
  return (
    <a class="hint media-source" href={href} title={title} target="_blank" rel="noopener noreferrer">
      {text}
      <Icon name="link" />
    </a>
  );
}

function Save({ media }: { media: MediaDescriptor }) {
  const { announce } = usePanel();
  const [saving, setSaving] = useState(false);
  const save = useSave(media);
  const { original } = media;
  if (original === undefined) return null;
  const start = async () => {
    setSaving(true);
    const saved = await save(original);
    setSaving(false);
    if (!saved) announce(t("mediaUnavailable"));
  };
  return (
    <>
      <span class="hint media-size">{formatBytes(original.bytes)}</span>
      <IconButton
        icon="save"
        label={t("mediaSave", altOf(media))}
        aria-busy={saving}
        disabled={saving}
        onClick={() => void start()}
      />
    </>
  );
}
