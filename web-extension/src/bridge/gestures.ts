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
export function watchGestures(bridge: Bridge, drafts: Drafts): void {
  chrome.action.onClicked.addListener((tab) => {
    void openPanel(tab.windowId);
    // The click grants us the page until it is left, whether or not the panel was open before.
    if (tab.id !== undefined) tabGranted(bridge, tab.id);
  });
  chrome.contextMenus.onClicked.addListener(({ menuItemId, selectionText }, tab) => {
    if (menuItemId !== ASK_MENU || tab === undefined) return;
    void openPanel(tab.windowId);
    if (tab.id !== undefined) tabGranted(bridge, tab.id);
    drafts.offer(tab.windowId, clip(selectionText ?? "", SELECTION_MAX));
  });
  chrome.runtime.onInstalled.addListener(() => {
    void claimToolbarClick();
    chrome.contextMenus.removeAll(() => {
      const title = chrome.i18n.getMessage("contextMenuAsk");
      chrome.contextMenus.create({ id: ASK_MENU, contexts: ["selection"], title });
    });
  });
}
