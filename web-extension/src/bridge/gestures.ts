/**
 * The ways to open the panel: toolbar icon, keyboard shortcut, and the context menu of a selection.
 *
 * The panel must be opened in the very call that the browser makes for the gesture, before anything is awaited.
 */
import { claimToolbarClick, openPanel } from "../shared/platform";
import { clip } from "../shared/text";
import type { Bridge } from "./bridge";
import { tabGranted } from "./browser-events";
import type { Drafts } from "./panel-ports";

const ASK_MENU = "ask-selection";

/** A selection longer than this is not a quotation any more. */
const SELECTION_MAX = 8_192;

/** Registers the listeners; must run in the first turn of the service worker. */
export function watchGestures(bridge: Bridge, restored: Promise<void>, drafts: Drafts): void {
  const opened = (tab: chrome.tabs.Tab): void => {
    openPanel(tab.windowId).catch(ignore);
    const { id } = tab;
    // The gesture grants us the page until it is left, whether or not the panel was open before.
    if (id !== undefined) void restored.then(() => tabGranted(bridge, id));
  };
  chrome.action.onClicked.addListener(opened);
  chrome.contextMenus.onClicked.addListener(({ menuItemId, selectionText }, tab) => {
    if (menuItemId !== ASK_MENU || tab === undefined) return;
    opened(tab);
    drafts.offer(tab.windowId, clip(selectionText ?? "", SELECTION_MAX));
  });
  chrome.runtime.onInstalled.addListener(() => {
    claimToolbarClick().catch(ignore);
    chrome.contextMenus.removeAll(() => {
      const title = chrome.i18n.getMessage("contextMenuAsk");
      chrome.contextMenus.create({ id: ASK_MENU, contexts: ["selection"], title });
    });
  });
}

/** The browser refuses a panel to a window that cannot have one; there is nobody to tell. */
function ignore(): void {}
