/**
 * The one place where browsers differ: how the panel is opened, who we are, and which senders are our own pages.
 *
 * Everything else uses `chrome.*`, which Chromium and Firefox both offer with promises.
 */

/** Our origin as a server sees it: `chrome-extension://ID`, without a slash. */
export function extensionOrigin(): string {
  return chrome.runtime.getURL("").replace(/\/$/, "");
}

/** This service worker serves incognito windows ("split" mode gives them their own). */
export function inIncognito(): boolean {
  return chrome.extension.inIncognitoContext;
}

/** Opens the side panel of a window; must be called directly in a user gesture, before anything is awaited. */
export async function openPanel(windowId: number): Promise<void> {
  await chrome.sidePanel.open({ windowId });
}

/** A click on the toolbar icon comes to us instead of opening the panel, because only then does it also grant the page to us. */
export async function claimToolbarClick(): Promise<void> {
  await chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: false });
}

/** The sender is one of our own pages: not a content script, not another extension (S27). */
export function isOwnPage(sender: chrome.runtime.MessageSender | undefined): boolean {
  return sender?.id === chrome.runtime.id && (sender.url ?? "").startsWith(`${extensionOrigin()}/`);
}
