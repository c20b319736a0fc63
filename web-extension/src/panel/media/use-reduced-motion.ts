/** Whether the person asked for less motion; follows a change at once. */
import { useEffect, useState } from "preact/hooks";

const QUERY = "(prefers-reduced-motion: reduce)";

/** True when nothing should move by itself. */
export function useReducedMotion(): boolean {
  const [reduced, setReduced] = useState(() => matchMedia(QUERY).matches);
  useEffect(() => {
    const life = new AbortController();
    const query = matchMedia(QUERY);
    query.addEventListener("change", () => setReduced(query.matches), { signal: life.signal });
    return () => life.abort();
  }, []);
  return reduced;
}
