/**
 * The page chip: which page the next question of a panel would carry, and whether it can be read.
 *
 * The browser shows us a tab's address exactly when it would also let us read the page, so no list of permissions is kept.
 */
import type { CaptureTab, PageState, SessionKeyOf } from "../capture/api";
import { isRestricted } from "../capture/restricted";
import { within } from "../shared/within";
import { type Conversation, isBlank } from "./conversations";
import type { PageChip } from "./panel-port";

/** A page that is blocked, say by a dialog, must not keep the chip from being shown. */
const STATE_MS = 500;

/** What the capture code offers. */
export interface PageReader {
  captureTab: CaptureTab;
  sessionKeyOf: SessionKeyOf;
  /** What the page in a tab says of itself without being read. */
  pageStateOf(tabId: number): Promise<PageState>;
}

/** A tab and what the browser tells of it. */
export interface TabFacts {
  id: number;
  url: string | undefined;
  title: string | undefined;
}

/** Facts of a tab; null when it is gone. */
export async function tabFacts(tabId: number | undefined): Promise<TabFacts | null> {
  if (tabId === undefined) return null;
  const tab = await chrome.tabs.get(tabId).catch(() => null);
  return tab === null ? null : { id: tabId, url: tab.url, title: tab.title };
}

/** The tab in front of a panel: the active one, or the last used one beside a panel that is a tab itself. */
export async function frontTabOf(windowId: number, ownTab: number | undefined): Promise<number | undefined> {
  const tabs = await chrome.tabs.query({ windowId }).catch(() => []);
  const others = tabs.filter((tab) => tab.id !== undefined && tab.id !== ownTab && !isOurs(tab));
  const active = others.find((tab) => tab.active);
  return (active ?? others.toSorted((a, b) => (b.lastAccessed ?? 0) - (a.lastAccessed ?? 0))[0])?.id;
}

/** A conversation and the page it may be about belong together: same tenant, or same origin elsewhere. */
export function belongs(conversation: Conversation, url: string | undefined, sessionKeyOf: SessionKeyOf): boolean {
  if (conversation.sessionKey === undefined || isBlank(conversation) || url === undefined) return true;
  return sessionKeyOf(url) === conversation.sessionKey;
}

/** The chip of a conversation seen from a panel whose tab in front is `frontTab`. */
export async function pageChip(
  conversation: Conversation,
  frontTab: number | undefined,
  reader: PageReader,
): Promise<PageChip> {
  const own = await tabFacts(conversation.tabId);
  if (own !== null && belongs(conversation, own.url, reader.sessionKeyOf)) {
    return chipOf(conversation, { ...own, other: frontTab !== undefined && own.id !== frontTab }, reader);
  }
  // Its page is gone; the one in front is offered instead.
  const front = await tabFacts(frontTab);
  if (front === null) return { state: "unreadable", fault: "no-tab" };
  const chip = await chipOf(conversation, { ...front, other: true }, reader);
  return chip.state === "readable" ? { ...chip, offered: true } : chip;
}

type SeenTab = TabFacts & { other: boolean };

async function chipOf(conversation: Conversation, tab: SeenTab, reader: PageReader): Promise<PageChip> {
  const title = tab.title ?? "";
  if (tab.url === undefined) return { state: "unreadable", fault: "needs-permission", ...(title && { title }) };
  const { url } = tab;
  if (isRestricted(url)) return { state: "unreadable", fault: "restricted-page", url, ...(title && { title }) };
  const { host, origin } = new URL(url);
  const { captured, unreadable } = conversation;
  if (unreadable !== undefined && sameDocument(unreadable.url, url)) {
    return { state: "unreadable", fault: unreadable.fault, title, url, host, origin };
  }
  const current = captured !== undefined && sameDocument(captured.url, url) ? captured : undefined;
  const { api, selection } = await within<PageState>(STATE_MS, reader.pageStateOf(tab.id), { api: "none" });
  return {
    state: "readable",
    tabId: tab.id,
    title,
    url,
    host,
    ...(current && { bytes: current.bytes }),
    selection: selection ?? current?.selection ?? false,
    other: tab.other,
    api,
  };
}

/** Query and fragment are not part of what a snapshot names. */
export function sameDocument(a: string, b: string): boolean {
  return a.replace(/[?#].*$/s, "") === b.replace(/[?#].*$/s, "");
}

function isOurs(tab: chrome.tabs.Tab): boolean {
  return (tab.url ?? "").startsWith(chrome.runtime.getURL(""));
}
