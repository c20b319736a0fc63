/** Play, pause and a place to go to, the same for every timeline. */

import type { Timeline } from "../../../media/timeline";
import { formatPlace } from "../../format";
import { t } from "../../i18n";
import type { Playback } from "../../media/use-playback";
import { IconButton } from "../IconButton";

/** The controls below a timeline; the arrow keys go from moment to moment. */
export function PlayerBar({ playback, timeline }: { playback: Playback; timeline: Timeline }) {
  const { position, index, playing, toggle, seek } = playback;
  const { starts, totalMs } = timeline;
  const at = Math.min(position, totalMs);
  const step = (event: KeyboardEvent) => {
    const next = targetOf(event.key, index, starts.length);
    if (next === null) return;
    event.preventDefault();
    seek(starts[next] ?? 0);
  };
  return (
    <div class="player-bar">
      <IconButton
        icon={playing ? "pause" : "play"}
        label={playing ? t("mediaPause") : t("mediaPlay")}
        onClick={toggle}
      />
      <input
        class="player-place"
        type="range"
        min={0}
        max={totalMs}
        step={1}
        value={at}
        aria-label={t("mediaPosition")}
        aria-valuetext={t("mediaFrame", index + 1, starts.length)}
        onInput={(event) => seek(event.currentTarget.valueAsNumber)}
        onKeyDown={step}
      />
      <span class="player-time">{t("mediaTime", formatPlace(at), formatPlace(totalMs))}</span>
    </div>
  );
}

function targetOf(key: string, index: number, count: number): number | null {
  switch (key) {
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(index + 1, count - 1);
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(index - 1, 0);
    default:
      return null;
  }
}
