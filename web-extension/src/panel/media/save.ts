/** Saves a file of a row under a name of its own. */
import { useCallback, useEffect, useRef } from "preact/hooks";
import type { MediaAsset, MediaDescriptor } from "../../media/descriptor";
import { fileNameOf } from "../../media/filename";
import { useMediaSource } from "./source";

/** The browser reads the file after the press; its address has to live that long. */
const SAVED_WITHIN_MS = 60_000;

/** A function that fetches the file if it is not there yet, and saves it; false when it cannot be had. */
export function useSave({ filenameHint }: MediaDescriptor): (asset: MediaAsset) => Promise<boolean> {
  const { library, conversation } = useMediaSource();
  const saving = useRef<AbortController | null>(null);
  useEffect(() => {
    const life = new AbortController();
    addEventListener("pagehide", () => saving.current?.abort(), { signal: life.signal });
    return () => life.abort();
  }, []);
  return useCallback(
    async (asset) => {
      const life = new AbortController();
      saving.current?.abort();
      saving.current = life;
      const opened = await library.open({ conversation, asset, signal: life.signal });
      if (!opened.ok) return opened.fault === "ended";
      const link = document.createElement("a");
      link.href = opened.url;
      link.download = fileNameOf(filenameHint, asset.mimeType);
      link.click();
      setTimeout(() => life.abort(), SAVED_WITHIN_MS);
      return true;
    },
    [library, conversation, filenameHint],
  );
}
