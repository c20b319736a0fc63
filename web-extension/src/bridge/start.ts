/** Starts the service worker's half of the extension; everything is registered before the first `await`. */
import { browserEyes, type PageEyes } from "../page-tools/eyes";
import { Bridge } from "./bridge";
import { watchBrowser } from "./browser-events";
import { watchGestures } from "./gestures";
import type { PageReader } from "./page";
import { acceptPort, Drafts } from "./panel-ports";

/** Wires the bridge to the browser. */
export function startBridge(reader: PageReader, eyes: PageEyes = browserEyes): Bridge {
  const bridge = new Bridge(reader, eyes);
  const drafts = new Drafts(bridge);
  const restored = bridge.restore();
  watchBrowser(bridge, restored);
  watchGestures(bridge, restored, drafts);
  // Content scripts may read local storage unless told otherwise, and the pairing's secret is there.
  chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" }).catch(() => undefined);
  // Not returned: whoever else listens may answer.
  chrome.runtime.onMessage.addListener((message: unknown, sender) => {
    bridge.tools.message(message, sender);
  });
  chrome.runtime.onConnect.addListener((port) => acceptPort(bridge, restored, drafts, port));
  return bridge;
}
