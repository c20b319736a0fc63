/** One file of a row: fetched while the row wants it, let go when the row leaves. */
import { useEffect, useState } from "preact/hooks";
import type { MediaAsset } from "../../media/descriptor";
import type { FetchFault } from "../../media/fetch";
import { useMediaSource } from "./source";

/** What a row knows of a file. */
export type AssetState =
  | { state: "waiting" }
  | { state: "loading"; loaded: number }
  | { state: "ready"; url: string; blob: Blob }
  | { state: "failed"; fault: FetchFault };

/** The file and how to try again. A file that failed for want of a connection comes by itself when there is one. */
export function useAsset(asset: MediaAsset | undefined, wanted: boolean): [AssetState, () => void] {
  const { library, conversation, connected } = useMediaSource();
  const [known, setKnown] = useState<AssetState>({ state: "waiting" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (asset === undefined || !wanted) return;
    const life = new AbortController();
    const { signal } = life;
    const onProgress = (loaded: number) => !signal.aborted && setKnown({ state: "loading", loaded });
    onProgress(0);
    const show = async () => {
      const opened = await library.open({ conversation, asset, onProgress, signal });
      if (!signal.aborted)
        setKnown(opened.ok ? { state: "ready", ...opened } : { state: "failed", fault: opened.fault });
    };
    void show();
    return () => life.abort();
  }, [library, conversation, asset?.ref, wanted, attempt]);
  const lost = known.state === "failed" && known.fault === "not-connected";
  const retry = () => setAttempt((count) => count + 1);
  useEffect(() => {
    if (connected && lost) retry();
  }, [connected]);
  return [known, retry];
}
