/** Whether an element is near the part of the transcript that is in view. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A screen's height ahead, so that scrolling at an ordinary pace meets finished pictures. */
const MARGIN = "800px 0px";

/** Where an element is. */
export interface Nearness {
  /** It is near now: what plays may play. */
  near: boolean;
  /** It has been near: what was fetched then stays. */
  reached: boolean;
}

/** Follows where the element is. */
export function useNear(element: RefObject<HTMLElement | null>): Nearness {
  const [place, setPlace] = useState<Nearness>({ near: false, reached: false });
  useEffect(() => {
    if (element.current === null) return;
    const root = element.current.closest(".transcript");
    const moved = (entries: IntersectionObserverEntry[]) => {
      const near = entries.at(-1)?.isIntersecting === true;
      setPlace((before) => ({ near, reached: near || before.reached }));
    };
    const observer = new IntersectionObserver(moved, { root, rootMargin: MARGIN });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return place;
}
