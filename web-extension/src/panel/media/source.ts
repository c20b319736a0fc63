/** Where rows get their media from: the library of the page, for the conversation that is shown. */
import { createContext } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { MediaLibrary } from "../../media/library";
import type { PanelApi } from "../context";
import { bodyOf } from "../port";

/** What a row needs to show media. */
export interface MediaSource {
  library: MediaLibrary;
  /** Key of the conversation: media is read only in one that shows it. */
  conversation: string;
  /** There is a way to the worker now. */
  connected: boolean;
}

const Source = createContext<MediaSource | null>(null);

/** Makes the source available below. */
export const MediaProvider = Source.Provider;

/** The source of the page a row stands in. */
export function useMediaSource(): MediaSource {
  const source = useContext(Source);
  if (source === null) throw new Error("media used outside of a panel");
  return source;
}

/** The source for what is shown now; the library stays as long as the page. */
export function useSource({ request }: PanelApi, conversation: string, connected: boolean): MediaSource {
  const library = useMemo(
    () =>
      new MediaLibrary(async (key, ref, offset) => {
        const answer = await request({ kind: "media", key, ref, offset });
        const body = bodyOf(answer, "media");
        if (body !== null) return { ok: true, chunk: body.chunk };
        const lost = !answer.ok && answer.code === "not-connected";
        return { ok: false, fault: lost ? "not-connected" : "unavailable" };
      }),
    [request],
  );
  return useMemo(() => ({ library, conversation, connected }), [library, conversation, connected]);
}
