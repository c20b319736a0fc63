/** The hook of API capture: the page's own world, main frame, before the page's first request. */
import { defineContentScript } from "wxt/utils/define-content-script";
import { installHook } from "../capture/page/hook";
import { siteMatches } from "../capture/sites";

export default defineContentScript({
  matches: siteMatches,
  runAt: "document_start",
  world: "MAIN",
  noScriptStartedPostMessage: true,
  main() {
    installHook(window);
  },
});
