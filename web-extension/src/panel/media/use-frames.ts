/** The pictures of a timeline around the one that is shown: a few are held ready, the rest are let go. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { MediaAsset } from "../../media/descriptor";
import type { FetchFault } from "../../media/fetch";
import type { Opened } from "../../media/library";
import { useMediaSource } from "./source";

const BEHIND = 1;
const AHEAD = 4;

/** The picture to show. */
export interface Frames {
  /** URL of the picture at the index, or null while it is not there. */
  url: string | null;
  /** Why it will not be there. */
  fault: FetchFault | null;
  /** Bytes of it that have arrived. */
  loaded: number;
  retry: () => void;
}

type Known = Opened | { loaded: number };

/** Holds the pictures around `index`. */
export function useFrames(assets: readonly MediaAsset[], index: number, wanted: boolean): Frames {
  const { library, conversation, connected } = useMediaSource();
  const [known, setKnown] = useState<ReadonlyMap<number, Known>>(new Map());
  const lives = useRef(new Map<number, AbortController>());
  /** Pictures that failed while they were fetched ahead: tried again when they are to be shown. */
  const failed = useRef(new Set<number>());
  const shown = useRef(index);
  shown.current = index;
  const [attempt, setAttempt] = useState(0);
  const identity = useMemo(() => assets.map((asset) => asset.ref).join(), [assets]);
  const put = (at: number, value: Known | null) =>
    setKnown((before) => {
      const next = new Map(before);
      if (value === null) next.delete(at);
      else next.set(at, value);
      return next;
    });
  useEffect(() => {
    if (!wanted) return;
    const window = windowAround(index, assets.length);
    for (const [at, life] of lives.current) {
      if (window.has(at)) continue;
      life.abort();
      lives.current.delete(at);
      put(at, null);
    }
    for (const at of window) {
      const asset = assets[at];
      if (asset === undefined || lives.current.has(at) || (at !== index && failed.current.has(at))) continue;
      failed.current.delete(at);
      const life = new AbortController();
      lives.current.set(at, life);
      const { signal } = life;
      const onProgress = (loaded: number) => !signal.aborted && put(at, { loaded });
      library.open({ conversation, asset, onProgress, signal }).then(
        (opened) => {
          if (signal.aborted) return;
          if (opened.ok || at === shown.current) return put(at, opened);
          lives.current.delete(at);
          failed.current.add(at);
        },
        () => undefined,
      );
    }
  }, [library, conversation, identity, index, wanted, attempt]);
  const end = () => {
    for (const life of lives.current.values()) life.abort();
    lives.current.clear();
    failed.current.clear();
  };
  useEffect(() => end, [library, conversation, identity]);
  const retry = () => {
    end();
    setKnown(new Map());
    setAttempt((count) => count + 1);
  };
  const now = known.get(index);
  const fault = now !== undefined && "ok" in now && !now.ok ? now.fault : null;
  useEffect(() => {
    if (connected && fault === "not-connected") retry();
  }, [connected]);
  return {
    url: now !== undefined && "ok" in now && now.ok ? now.url : null,
    fault,
    loaded: now !== undefined && "loaded" in now ? now.loaded : 0,
    retry,
  };
}

/** The indexes to hold, the shown one first; behind the last one comes the first, as it does in a loop. */
function windowAround(index: number, count: number): Set<number> {
  const steps = [0, ...Array.from({ length: AHEAD }, (_, step) => step + 1), -BEHIND];
  return new Set(steps.map((step) => (index + step + count) % count));
}
