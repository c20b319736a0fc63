/**
 * Session storage lives as long as the browser, an incognito session only as long as its last window. Nothing tells us
 * when that closes, so the next start of an incognito service worker clears what was left.
 */
import { inIncognito } from "../shared/platform";
import { removeAll } from "../shared/storage";
import { keptTabs } from "./conversations";
import { keptPlaces } from "./places";

/** Forgets everything incognito when none of the tabs and windows it belongs to is there any more. */
export async function forgetClosedIncognito(): Promise<void> {
  if (!inIncognito()) return;
  const tabs = await chrome.tabs.query({});
  const open = new Set(tabs.flatMap(({ id, windowId }) => [`tab:${id}`, `window:${windowId}`]));
  const kept = [...(await keptPlaces()), ...(await keptTabs()).map((tab) => `tab:${tab}`)];
  if (!kept.some((place) => open.has(place))) await removeAll("session", "");
}
