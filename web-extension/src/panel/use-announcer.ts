/** State of the announcer: the text said last and a number that changes with every saying. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { TurnView } from "../bridge/panel-port";
import { announcementFor } from "./announce";

/** What was said last, and how to say something; a turn that ends is announced by itself. */
export function useAnnouncer(ended: TurnView | null) {
  const [said, setSaid] = useState({ text: "", serial: 0 });
  const announce = useCallback((text: string) => setSaid(({ serial }) => ({ text, serial: serial + 1 })), []);
  useEffect(() => {
    if (ended !== null) announce(announcementFor(ended));
  }, [ended?.id, ended?.state, announce]);
  return [said, announce] as const;
}
