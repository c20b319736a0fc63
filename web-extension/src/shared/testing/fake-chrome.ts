/**
 * An in-memory browser for unit tests: the part of `chrome.*` that the service worker uses.
 *
 * It records what was asked and lets a test play the other side; it imitates no timing.
 */

type Listener<Args extends unknown[]> = (...args: Args) => void;

/** A browser event. */
export class FakeEvent<Args extends unknown[]> {
  readonly #listeners = new Set<Listener<Args>>();

  addListener(listener: Listener<Args>): void {
    this.#listeners.add(listener);
  }

  removeListener(listener: Listener<Args>): void {
    this.#listeners.delete(listener);
  }

  emit(...args: Args): void {
    for (const listener of [...this.#listeners]) listener(...args);
  }
}

/** One end of a runtime port; the test holds the other. */
export class FakePort {
  readonly onMessage = new FakeEvent<[unknown]>();
  readonly onDisconnect = new FakeEvent<[]>();
  readonly posted: unknown[] = [];
  readonly name: string;
  readonly sender: unknown;
  open = true;

  constructor(name: string, sender?: unknown) {
    this.name = name;
    this.sender = sender;
  }

  postMessage(message: unknown): void {
    if (!this.open) throw new Error("Attempting to use a disconnected port object");
    this.posted.push(structuredClone(message));
  }

  disconnect(): void {
    this.open = false;
  }

  /** The other side posts a message. */
  receive(message: unknown): void {
    this.onMessage.emit(structuredClone(message));
  }

  /** Messages of one kind, as far as a test cares. */
  ofKind(kind: string): Record<string, unknown>[] {
    return this.posted.filter(isObject).filter((message) => message["kind"] === kind || message["type"] === kind);
  }

  /** The last message of one kind. */
  last(kind: string): Record<string, unknown> | undefined {
    return this.ofKind(kind).at(-1);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

class FakeStorage {
  readonly values = new Map<string, unknown>();
  /** A full or broken storage. */
  broken = false;

  async get(key: string | null): Promise<Record<string, unknown>> {
    if (key === null) return Object.fromEntries(this.values);
    return this.values.has(key) ? { [key]: structuredClone(this.values.get(key)) } : {};
  }

  async set(entries: Record<string, unknown>): Promise<void> {
    if (this.broken) throw new Error("quota exceeded");
    for (const [key, value] of Object.entries(entries)) this.values.set(key, JSON.parse(JSON.stringify(value)));
  }

  async remove(keys: string | string[]): Promise<void> {
    for (const key of [keys].flat()) this.values.delete(key);
  }

  async setAccessLevel(): Promise<void> {}
}

/** What a test says of a tab; an absent address means that the extension may not read it. */
export interface FakeTab {
  id: number;
  windowId: number;
  active: boolean;
  url?: string;
  title?: string;
  lastAccessed?: number;
  status?: string;
}

/** What is asked of `scripting.executeScript`, as far as a test cares. */
export interface FakeInjection {
  target: { tabId: number; frameIds?: number[]; allFrames?: boolean };
  files?: string[];
}

async function nobody(): Promise<unknown> {
  throw new Error("Could not establish connection. Receiving end does not exist.");
}

/** A browser with one native host, storage and tabs. */
export class FakeChrome {
  readonly nativePorts: FakePort[] = [];
  readonly opened: number[] = [];
  readonly menus: unknown[] = [];
  tabList: FakeTab[] = [];
  lastError: { message: string } | undefined;
  readonly storage = { local: new FakeStorage(), session: new FakeStorage(), managed: new FakeStorage() };
  readonly extension = { inIncognitoContext: false };
  readonly i18n = { getMessage: (key: string): string => key };
  readonly permissions = {
    onAdded: new FakeEvent<[]>(),
    onRemoved: new FakeEvent<[]>(),
    contains: async (): Promise<boolean> => true,
  };
  /** What the toolbar icon says on each tab. */
  readonly badges = new Map<number, string>();
  readonly action = {
    onClicked: new FakeEvent<[FakeTab]>(),
    setBadgeText: async ({ tabId, text }: { tabId: number; text: string }): Promise<void> =>
      void this.badges.set(tabId, text),
    setBadgeBackgroundColor: async (): Promise<void> => {},
  };
  /** Messages to content scripts, and who answers them; by itself nobody is there. */
  readonly told: { tabId: number; message: unknown; frameId?: number }[] = [];
  contentScript: (tabId: number, message: unknown, frameId: number | undefined) => Promise<unknown> = nobody;
  /** What a script that is put into a tab gives back, frame by frame; by itself none may be put there. */
  inject: (injection: FakeInjection) => Promise<{ frameId: number; result: unknown }[]> = async () => {
    throw new Error("Cannot access contents of the page");
  };
  readonly scripting = { executeScript: (injection: FakeInjection) => this.inject(injection) };
  /** What opening an address in a tab does. */
  navigate: (tab: FakeTab, url: string) => void = (tab, url) => Object.assign(tab, { url, status: "complete" });
  pictures = 0;
  readonly sidePanel = {
    open: async ({ windowId }: { windowId: number }): Promise<void> => void this.opened.push(windowId),
    setPanelBehavior: async (): Promise<void> => {},
  };
  readonly contextMenus = {
    onClicked: new FakeEvent<[{ menuItemId: string; selectionText?: string }, FakeTab | undefined]>(),
    create: (menu: unknown): void => void this.menus.push(menu),
    removeAll: (done: () => void): void => done(),
  };
  readonly tabs = {
    onActivated: new FakeEvent<[{ tabId: number; windowId: number }]>(),
    onUpdated: new FakeEvent<[number, { status?: string; url?: string; title?: string }]>(),
    onRemoved: new FakeEvent<[number]>(),
    get: async (id: number): Promise<FakeTab> => ({ ...this.#tab(id) }),
    update: async (id: number, { url, active }: { url?: string; active?: boolean }): Promise<void> => {
      const tab = this.#tab(id);
      if (url !== undefined) this.navigate(tab, url);
      if (active !== true) return;
      for (const each of this.tabList) if (each.windowId === tab.windowId) each.active = each.id === id;
      this.tabs.onActivated.emit({ tabId: id, windowId: tab.windowId });
    },
    sendMessage: async (tabId: number, message: unknown, options: { frameId?: number } = {}): Promise<unknown> => {
      this.told.push({ tabId, message: structuredClone(message), ...options });
      return this.contentScript(tabId, message, options.frameId);
    },
    captureVisibleTab: async (): Promise<string> => {
      this.pictures += 1;
      return "data:image/png;base64,AAAA";
    },
    query: async ({ windowId }: { windowId?: number }): Promise<FakeTab[]> =>
      this.tabList.filter((tab) => windowId === undefined || tab.windowId === windowId),
  };
  readonly runtime;

  constructor(id = "afjloophkcfkbnbojjbmdlhibaikjmld") {
    const { nativePorts } = this;
    const lastError = (): { message: string } | undefined => this.lastError;
    this.runtime = {
      id,
      onConnect: new FakeEvent<[FakePort]>(),
      onMessage: new FakeEvent<[unknown, unknown]>(),
      onInstalled: new FakeEvent<[]>(),
      get lastError() {
        return lastError();
      },
      getURL: (path: string): string => `chrome-extension://${id}/${path}`,
      getManifest: (): { version: string } => ({ version: "0.1.0" }),
      connectNative(name: string): FakePort {
        const port = new FakePort(name);
        nativePorts.push(port);
        return port;
      },
    };
  }

  #tab(id: number): FakeTab {
    const tab = this.tabList.find((known) => known.id === id);
    if (tab === undefined) throw new Error("no such tab");
    return tab;
  }

  /** The newest native port. */
  get native(): FakePort {
    const port = this.nativePorts.at(-1);
    if (port === undefined) throw new Error("no native port was opened");
    return port;
  }

  /** The native host goes away, for a reason the browser states. */
  breakNative(message: string): void {
    const port = this.native;
    port.open = false;
    this.lastError = { message };
    port.onDisconnect.emit();
    this.lastError = undefined;
  }

  /** A panel in the side of a window, or in a tab of its own. */
  panelPort(ownTab?: number): FakePort {
    return new FakePort("sidewire-panel", {
      id: this.runtime.id,
      url: this.runtime.getURL("panel.html"),
      ...(ownTab !== undefined && { tab: { id: ownTab } }),
    });
  }
}
