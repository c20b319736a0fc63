import { defineBackground } from "wxt/utils/define-background";
import { startBridge } from "../bridge/start";
import { createCaptureTab, pageStateOf } from "../capture/capture";
import { followGrants } from "../capture/grants";
import { sessionKeyOf } from "../capture/sites";
import { browserTabs } from "../capture/tab-access";
import { allowedNow } from "../page-tools/policy";

/** The service worker: the bridge to the worker on this machine, and the capture code's listeners. */
export default defineBackground({
  type: "module",
  main() {
    // Its end is the end of the service worker.
    followGrants(new AbortController().signal);
    const captureTab = createCaptureTab(browserTabs, allowedNow);
    startBridge({ captureTab, sessionKeyOf, pageStateOf: (tabId) => pageStateOf(tabId) });
  },
});
