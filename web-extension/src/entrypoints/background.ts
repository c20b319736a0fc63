import { defineBackground } from "wxt/utils/define-background";
import { startBridge } from "../bridge/start";
import { captureTab, pageStateOf } from "../capture/capture";
import { followGrants } from "../capture/grants";
import { sessionKeyOf } from "../capture/sites";
import { withPolicy } from "../page-tools/policy";

/** The service worker: the bridge to the worker on this machine, and the capture code's listeners. */
export default defineBackground({
  type: "module",
  main() {
    // Its end is the end of the service worker.
    followGrants(new AbortController().signal);
    const captureAllowed = withPolicy(captureTab);
    startBridge({ captureTab: captureAllowed, sessionKeyOf, pageStateOf: (tabId) => pageStateOf(tabId) });
  },
});
