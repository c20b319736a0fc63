/** Starts the service worker's half of the extension; everything is registered before the first `await`. */
import { Bridge } from "./bridge";
import { watchBrowser } from "./browser-events";
import { watchGestures } from "./gestures";
import type { PageReader } from "./page";
import { acceptPort, Drafts } from "./panel-ports";

/** Wires the bridge to the browser. */
export function startBridge(reader: PageReader): Bridge {
  const bridge = new Bridge(reader);
  const drafts = new Drafts(bridge);
  const restored = bridge.restore();
  watchBrowser(bridge, restored);
  watchGestures(bridge, restored, drafts);
  // Content scripts may read local storage unless told otherwise, and the pairing's secret is there.
  chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" }).catch(() => undefined);
  chrome.runtime.onConnect.addListener((port) => acceptPort(bridge, restored, drafts, port));
  return bridge;
}
