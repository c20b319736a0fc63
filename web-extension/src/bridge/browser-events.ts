/** What happens in the browser around the panels: tabs come to the front, load, and close; permissions come and go. */
import type { Bridge } from "./bridge";
import { type Conversation, isBlank } from "./conversations";
import { frontTabOf } from "./page";
import type { Panel } from "./panels";

/**
 * Registers the listeners; must run in the first turn of the service worker. An event may be what woke it, so each is
 * looked at only when everything is `restored`.
 */
export function watchBrowser(bridge: Bridge, restored: Promise<void>): void {
  const then = (react: () => void): void => void restored.then(react);
  chrome.tabs.onActivated.addListener(({ windowId }) =>
    then(() => {
      void tabInFront(bridge, windowId);
      bridge.tools.tabInFront();
    }),
  );
  chrome.tabs.onUpdated.addListener((tabId, change) => {
    if (change.status !== undefined || change.url !== undefined || change.title !== undefined) {
      then(() => tabChanged(bridge, tabId, change.url !== undefined || change.status === "loading"));
      if (change.status === "complete") then(() => bridge.tools.tabLoaded(tabId));
    }
  });
  chrome.tabs.onRemoved.addListener((tabId) =>
    then(() => {
      bridge.conversations.tabClosed(tabId);
      refresh(bridge, bridge.panels.all());
    }),
  );
  chrome.permissions.onAdded.addListener(() => then(() => permissionsChanged(bridge)));
  chrome.permissions.onRemoved.addListener(() => then(() => permissionsChanged(bridge)));
}

/** The page of a tab may be readable from now on: the toolbar icon was clicked on it. */
export function tabGranted(bridge: Bridge, tabId: number): void {
  tabChanged(bridge, tabId, true);
}

/** Each tab keeps its conversation; one that has none leaves the panel on what it shows (panel-ui: "another tab in front"). */
async function tabInFront(bridge: Bridge, windowId: number): Promise<void> {
  for (const panel of bridge.panels.inWindow(windowId)) {
    panel.frontTab = await frontTabOf(windowId, panel.ownTab);
    if (panel.frontTab === undefined) continue;
    const own = bridge.conversations.ofTab(panel.frontTab);
    if (own !== undefined && own.key !== panel.conversation.key) bridge.show(panel, own);
    else {
      if (isEmpty(panel.conversation)) bridge.conversations.bind(panel.conversation, panel.frontTab);
      await bridge.refreshChip(panel);
    }
  }
}

/** A pinned snapshot does not outlive the document it was taken from (decision 21). */
function tabChanged(bridge: Bridge, tabId: number, anotherDocument: boolean): void {
  const about = bridge.conversations.about(tabId);
  if (anotherDocument) {
    for (const conversation of about) {
      delete conversation.preview;
      delete conversation.unreadable;
      delete conversation.captured;
    }
  }
  refresh(
    bridge,
    bridge.panels.all().filter((panel) => panel.frontTab === tabId || panel.conversation.tabId === tabId),
  );
}

function permissionsChanged(bridge: Bridge): void {
  for (const panel of bridge.panels.all()) delete panel.conversation.unreadable;
  refresh(bridge, bridge.panels.all());
}

function refresh(bridge: Bridge, panels: Panel[]): void {
  for (const panel of panels) void bridge.refreshChip(panel);
}

function isEmpty(conversation: Conversation): boolean {
  return isBlank(conversation) && conversation.loaded && !conversation.asking;
}
