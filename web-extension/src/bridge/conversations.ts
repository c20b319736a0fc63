/**
 * The conversations this browser has in hand, and which tab each is about.
 *
 * The worker keeps what was said; this is a picture of it plus the little that only the browser knows. What must
 * survive the service worker is written to session storage.
 */
import type { Mode } from "../contract/types";
import { isOptionalString, isRecord, isString } from "../shared/guards";
import { inIncognito } from "../shared/platform";
import { load, save } from "../shared/storage";
import type { ConversationView, PageFault, Preview, TurnView } from "./panel-port";

/** One conversation; `id` comes from the worker with the first accepted turn. */
export interface Conversation {
  /** Our own name for it, from before the worker knew it. */
  readonly key: string;
  id?: string;
  title: string;
  mode: Mode;
  /** Fixed by the first question about a page (decision 15). */
  sessionKey?: string;
  /** The tab it is about; absent when that tab is gone or never was. */
  tabId?: number;
  turns: TurnView[];
  /** Where older turns begin. */
  before?: string;
  /** The worker's transcript was read, or there is none yet. */
  loaded: boolean;
  /** It is being read; several panels may want it at once. */
  loading?: Promise<boolean>;
  /** A question is being prepared; a second one has to wait. */
  asking: boolean;
  /** A snapshot that was looked at and is pinned for the next question (decision 21). */
  preview?: Preview;
  /** A pin that was refused because the page had changed; insisting on it means that the page as it is now will do. */
  refusedToken?: string;
  /** The page could not be read when it was tried last. */
  unreadable?: { url: string; fault: PageFault };
  /** What the last snapshot of the page was like. */
  captured?: { url: string; bytes: number; selection: boolean };
}

const KEY = "conversations";

/** All conversations in hand. */
export class Conversations {
  readonly #all = new Map<string, Conversation>();
  readonly #byTab = new Map<number, string>();
  readonly #forgotten: (key: string) => void;
  #restored = false;

  /** `forgotten` hears of each conversation that nobody here will know any more. */
  constructor(forgotten: (key: string) => void = () => undefined) {
    this.#forgotten = forgotten;
  }

  /** Reads what a dead service worker left behind; what cannot be read is as if it had never been. */
  async restore(): Promise<void> {
    const kept = await load("session", KEY, isKept).catch(() => undefined);
    for (const { key, id, title, mode, sessionKey, tabId } of kept?.conversations ?? []) {
      if (this.#all.has(key)) continue;
      const conversation: Conversation = { key, title, mode, turns: [], loaded: id === undefined, asking: false };
      if (id !== undefined) conversation.id = id;
      if (sessionKey !== undefined) conversation.sessionKey = sessionKey;
      if (tabId !== undefined) conversation.tabId = tabId;
      this.keep(conversation);
    }
    for (const [tab, key] of kept?.tabs ?? [])
      if (this.#all.has(key) && !this.#byTab.has(tab)) this.#byTab.set(tab, key);
    const open = await chrome.tabs.query({}).catch(() => null);
    if (open !== null) this.#dropTabs(new Set(open.map((tab) => tab.id)));
    this.#restored = true;
    this.save();
  }

  /** A new, empty conversation. */
  create(mode: Mode): Conversation {
    const key = crypto.randomUUID();
    const conversation: Conversation = { key, title: "", mode, turns: [], loaded: true, asking: false };
    this.keep(conversation);
    return conversation;
  }

  /** The conversation of that name at the worker, which may have to be read from there first. */
  stored(id: string): Conversation {
    const known = this.ofId(id);
    if (known !== undefined) return known;
    const conversation = this.create("educational");
    conversation.id = id;
    conversation.loaded = false;
    return conversation;
  }

  get(key: string): Conversation | undefined {
    return this.#all.get(key);
  }

  /** Makes sure that a conversation about to be shown was not dropped while it was read. */
  keep(conversation: Conversation): void {
    this.#all.set(conversation.key, conversation);
  }

  /** The conversation a tab shows. */
  ofTab(tabId: number): Conversation | undefined {
    const key = this.#byTab.get(tabId);
    return key === undefined ? undefined : this.#all.get(key);
  }

  /** The conversation of that name at the worker. */
  ofId(id: string): Conversation | undefined {
    return [...this.#all.values()].find((conversation) => conversation.id === id);
  }

  /** The conversation a turn belongs to. */
  ofTurn(id: string): Conversation | undefined {
    return [...this.#all.values()].find(({ turns }) => turns.some((turn) => turn.id === id));
  }

  /** Those that are about a tab. */
  about(tabId: number): Conversation[] {
    return [...this.#all.values()].filter((conversation) => conversation.tabId === tabId);
  }

  /** Makes a conversation the one that a tab shows and is about; an empty one leaves its former tab. */
  bind(conversation: Conversation, tabId: number): void {
    if (conversation.turns.length === 0 && conversation.loaded) {
      for (const [tab, key] of this.#byTab) if (key === conversation.key) this.#byTab.delete(tab);
    }
    conversation.tabId = tabId;
    delete conversation.preview;
    this.showIn(conversation, tabId);
  }

  /** Makes a conversation the one that a tab shows, although it may be about another page. */
  showIn(conversation: Conversation, tabId: number): void {
    this.keep(conversation);
    this.#byTab.set(tabId, conversation.key);
    this.save();
  }

  /** The tab is gone; its number may be given to another one later. */
  tabClosed(tabId: number): void {
    this.#leaveTab(tabId);
    this.save();
  }

  /** Forgets one that was deleted at the worker. */
  remove(conversation: Conversation): void {
    this.#drop(conversation);
    for (const [tab, key] of this.#byTab) if (key === conversation.key) this.#byTab.delete(tab);
    this.save();
  }

  /** Forgets everything, after "delete all my data". */
  clear(): void {
    this.#all.clear();
    this.#byTab.clear();
    this.save();
  }

  /** Drops what no tab, no panel and no running turn needs; it can be read from the worker again. */
  prune(isInUse: (conversation: Conversation) => boolean): void {
    const shown = new Set(this.#byTab.values());
    for (const conversation of [...this.#all.values()]) {
      if (!shown.has(conversation.key) && !isInUse(conversation)) this.#drop(conversation);
    }
    this.save();
  }

  #drop({ key }: Conversation): void {
    this.#all.delete(key);
    this.#forgotten(key);
  }

  /** Writes what must survive the service worker; never before what is there was read, since that would be the end of it. */
  save(): void {
    if (!this.#restored) return;
    const conversations = [...this.#all.values()].map(({ key, id, title, mode, sessionKey, tabId }) => ({
      key,
      id,
      title,
      mode,
      sessionKey,
      tabId,
    }));
    // Losing this costs the place in the browser, never a conversation.
    void save("session", KEY, { conversations, tabs: [...this.#byTab] }).catch(() => undefined);
  }

  /** Tabs that were closed while no service worker was there to hear of it. */
  #dropTabs(open: ReadonlySet<number | undefined>): void {
    const about = [...this.#all.values()].flatMap(({ tabId }) => tabId ?? []);
    for (const tabId of new Set([...this.#byTab.keys(), ...about])) if (!open.has(tabId)) this.#leaveTab(tabId);
  }

  #leaveTab(tabId: number): void {
    this.#byTab.delete(tabId);
    for (const conversation of this.about(tabId)) {
      delete conversation.tabId;
      delete conversation.preview;
    }
  }
}

/** The tabs whose conversations were kept, read without taking them over. */
export async function keptTabs(): Promise<number[]> {
  const kept = await load("session", KEY, isKept);
  return (kept?.tabs ?? []).map(([tab]) => tab);
}

/** Nothing was ever asked in it; one that was not read yet may have any number of turns. */
export function isBlank(conversation: Conversation): boolean {
  return conversation.id === undefined && conversation.turns.length === 0;
}

/** Replaces the turn of that id, or appends it. */
export function putTurn(conversation: Conversation, view: TurnView): void {
  const index = conversation.turns.findLastIndex((turn) => turn.id === view.id);
  // In place: this happens for every piece of text, and a conversation may be long.
  if (index < 0) conversation.turns.push(view);
  else conversation.turns[index] = view;
}

/** What a panel is shown. */
export function viewOf(conversation: Conversation): ConversationView {
  return {
    key: conversation.key,
    ...(conversation.id !== undefined && { id: conversation.id }),
    title: conversation.title,
    mode: conversation.mode,
    turns: conversation.turns,
    ...(conversation.before !== undefined && { before: conversation.before }),
    ephemeral: inIncognito(),
  };
}

interface Kept {
  conversations: Pick<Conversation, "key" | "id" | "title" | "mode" | "sessionKey" | "tabId">[];
  tabs: [number, string][];
}

function isKept(value: unknown): value is Kept {
  if (!isRecord(value) || !Array.isArray(value["conversations"]) || !Array.isArray(value["tabs"])) return false;
  return value["conversations"].every(isKeptConversation) && value["tabs"].every(isTabEntry);
}

function isKeptConversation(value: unknown): boolean {
  return (
    isRecord(value) &&
    [value["key"], value["title"], value["mode"]].every(isString) &&
    [value["id"], value["sessionKey"]].every(isOptionalString) &&
    (value["tabId"] === undefined || typeof value["tabId"] === "number")
  );
}

function isTabEntry(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === "number" && isString(value[1]);
}
