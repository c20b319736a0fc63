/** The content script of page capture and page tools: isolated world, every frame. */
import { defineContentScript } from "wxt/utils/define-content-script";
import { listen } from "../capture/page/listener";
import { siteMatches } from "../capture/sites";
import { serveTools } from "../page-tools/page/service";

/** The running copy in this frame's isolated world; aborting it removes all it started. */
declare global {
  var sidewireCapture: AbortController | undefined;
}

export default defineContentScript({
  matches: siteMatches,
  allFrames: true,
  matchAboutBlank: true,
  matchOriginAsFallback: true,
  runAt: "document_start",
  noScriptStartedPostMessage: true,
  main() {
    // Injecting twice must not answer twice, nor lose what the first copy has seen.
    if (globalThis.sidewireCapture !== undefined) return;
    const life = new AbortController();
    globalThis.sidewireCapture = life;
    endWhenOrphaned(life);
    listen(window, life.signal);
    serveTools(window, life.signal);
  },
});

/**
 * An extension that is loaded anew runs a copy of its own, in a world of its own, and leaves this one behind: that must
 * not keep the hook's messages, for which it has no use any more, from the copy that has.
 */
function endWhenOrphaned(life: AbortController): void {
  const look = (): void => {
    if (chrome.runtime?.id === undefined) life.abort();
  };
  // The first of our listeners: when it ends the copy, the others are not called any more.
  window.addEventListener("message", look, { capture: true, signal: life.signal });
}
