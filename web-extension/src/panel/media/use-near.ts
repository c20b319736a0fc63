/** Whether an element has come near the part of the transcript that is in view; once it has, that stays so. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A screen's height ahead, so that scrolling at an ordinary pace meets finished pictures. */
const MARGIN = "800px 0px";

/** True from the moment the element is near. */
export function useNear(element: RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || element.current === null) return;
    const seen = (entries: IntersectionObserverEntry[]) => {
      if (entries.some((entry) => entry.isIntersecting)) setNear(true);
    };
    const observer = new IntersectionObserver(seen, {
      root: element.current.closest(".transcript"),
      rootMargin: MARGIN,
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, near]);
  return near;
}
