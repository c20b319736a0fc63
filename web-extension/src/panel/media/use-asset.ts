/** One file of a row: fetched while the row is near, if it is small or the person asked for it; let go when the row leaves. */
import { useEffect, useState } from "preact/hooks";
import type { MediaAsset } from "../../media/descriptor";
import type { FetchFault } from "../../media/fetch";
import { useMediaSource } from "./source";

/** More than this is not fetched for what may never be looked at. */
const UNASKED_BYTES = 12 * 1024 * 1024;

/** What a row knows of a file. */
export type AssetState =
  | { state: "waiting" }
  /** It is large, and fetched only when somebody presses for it. */
  | { state: "unasked"; load: () => void }
  | { state: "loading"; loaded: number }
  | { state: "ready"; url: string; blob: Blob; asked: boolean }
  | { state: "failed"; fault: FetchFault };

/** The file and how to try again. A file that failed for want of a connection comes by itself when there is one. */
export function useAsset(asset: MediaAsset | undefined, near: boolean): [AssetState, () => void] {
  const { library, conversation, connected } = useMediaSource();
  const [known, setKnown] = useState<AssetState>({ state: "waiting" });
  const [attempt, setAttempt] = useState(0);
  const [asked, setAsked] = useState(false);
  const large = asset !== undefined && asset.bytes > UNASKED_BYTES;
  const wanted = near && (asked || !large);
  useEffect(() => {
    if (asset === undefined || !wanted) return;
    const life = new AbortController();
    const { signal } = life;
    const onProgress = (loaded: number) => !signal.aborted && setKnown({ state: "loading", loaded });
    onProgress(0);
    const show = async () => {
      const opened = await library.open({ conversation, asset, onProgress, signal });
      if (!signal.aborted)
        setKnown(opened.ok ? { state: "ready", ...opened, asked } : { state: "failed", fault: opened.fault });
    };
    void show();
    return () => life.abort();
  }, [library, conversation, asset?.ref, wanted, attempt]);
  const lost = known.state === "failed" && known.fault === "not-connected";
  const retry = () => setAttempt((count) => count + 1);
  useEffect(() => {
    if (connected && lost) retry();
  }, [connected]);
  if (near && large && !asked) return [{ state: "unasked", load: () => setAsked(true) }, retry];
  return [known, retry];
}
