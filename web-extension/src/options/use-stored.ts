/** Reads something from the browser's storage, now and whenever anything in it changes. */
import { useEffect, useRef } from "preact/hooks";

/** Calls `read` at once and after each change, as long as the component is there. */
export function useStored(read: () => void): void {
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const changed = () => latest.current();
    chrome.storage.onChanged.addListener(changed);
    changed();
    return () => chrome.storage.onChanged.removeListener(changed);
  }, []);
}
