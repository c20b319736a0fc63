/**
 * Stands in for the browser's extension functions, so that the panel's pages run as plain web pages in tests.
 *
 * It keeps nothing and talks to nobody: a scene says what the service worker would say.
 */
import messages from "../../../public/_locales/en/messages.json";
import type { PanelEvent, PanelMessage } from "../../bridge/panel-port";

type Listener<Value> = (value: Value) => void;

/** One listener list with the shape of the browser's. */
class Event<Value> {
  readonly #listeners = new Set<Listener<Value>>();

  addListener(listener: Listener<Value>): void {
    this.#listeners.add(listener);
  }

  removeListener(listener: Listener<Value>): void {
    this.#listeners.delete(listener);
  }

  emit(value: Value): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
}

/** The service worker's end of the port, in the hands of a scene. */
export interface FakePort {
  post(event: PanelEvent): void;
  /** Breaks the port, as a dying service worker does. */
  break(): void;
}

/** What a scene is told. */
export interface Surroundings {
  /** A page opened its port. */
  connected(port: FakePort): void;
  /** A page posted a message. */
  received(message: PanelMessage, port: FakePort): void;
  /** The answer to a request for access to a site. */
  grantSites: boolean;
  /** What the browser's storage holds at start. */
  local: Record<string, unknown>;
  session?: Record<string, unknown>;
  /** What whoever manages the browser has set. */
  managed?: Record<string, unknown>;
}

/** Everything the pages asked the browser for, for assertions. */
export interface Asked {
  permissions: string[];
  removed: string[];
  optionsOpened: number;
}

/** Puts the fake in place of the browser's own object; returns what was asked of it. */
export function installFakeChrome(surroundings: Surroundings): Asked {
  const record: Asked = { permissions: [], removed: [], optionsOpened: 0 };
  const changed = new Event<unknown>();
  const fake = {
    i18n: { getMessage, getUILanguage: () => "en" },
    runtime: {
      connect: () => connect(surroundings),
      getManifest: () => ({ version: "0.1.0", host_permissions: ["https://*.console.ves.volterra.io/*"] }),
      openOptionsPage: async () => {
        record.optionsOpened += 1;
      },
    },
    extension: { inIncognitoContext: false },
    windows: { getCurrent: async () => ({ id: 7 }), WINDOW_ID_CURRENT: -2 },
    storage: {
      local: area(surroundings.local, () => changed.emit({})),
      session: area(surroundings.session ?? {}, () => changed.emit({})),
      managed: area(surroundings.managed ?? {}, () => undefined),
      onChanged: changed,
    },
    permissions: permissions(surroundings, record),
  };
  Object.defineProperty(globalThis, "chrome", { value: fake, configurable: true });
  return record;
}

function permissions(surroundings: Surroundings, record: Asked) {
  const origins = ["https://*.console.ves.volterra.io/*", "https://wiki.example.com/*", "http://127.0.0.1/*"];
  return {
    onAdded: new Event<unknown>(),
    onRemoved: new Event<unknown>(),
    getAll: async () => ({ origins: origins.filter((origin) => !record.removed.includes(origin)) }),
    request: async (asked: { origins: string[] }) => {
      record.permissions.push(...asked.origins);
      return surroundings.grantSites;
    },
    remove: async (asked: { origins: string[] }) => {
      record.removed.push(...asked.origins);
      return true;
    },
  };
}

function connect(surroundings: Surroundings) {
  const onMessage = new Event<unknown>();
  const onDisconnect = new Event<unknown>();
  let open = true;
  const port: FakePort = {
    // What crosses a real port is a copy.
    post: (event) => open && onMessage.emit(structuredClone(event)),
    break: () => {
      open = false;
      onDisconnect.emit(null);
    },
  };
  queueMicrotask(() => surroundings.connected(port));
  return {
    onMessage,
    onDisconnect,
    disconnect: () => {
      open = false;
    },
    postMessage: (message: PanelMessage) => {
      if (!open) throw new Error("port is closed");
      queueMicrotask(() => surroundings.received(structuredClone(message), port));
    },
  };
}

function area(values: Record<string, unknown>, changed: () => void) {
  const kept = new Map(Object.entries(values));
  return {
    get: async (key: string | null) => Object.fromEntries([...kept].filter(([name]) => key === null || name === key)),
    set: async (changes: Record<string, unknown>) => {
      for (const [key, value] of Object.entries(changes)) kept.set(key, value);
      changed();
    },
    remove: async (keys: string | string[]) => {
      for (const key of [keys].flat()) kept.delete(key);
      changed();
    },
  };
}

interface Message {
  message: string;
  placeholders?: Record<string, { content: string }>;
}

const catalogue = new Map<string, Message>(Object.entries(messages));

/** As the browser does it: named placeholders stand for numbered substitutions. */
function getMessage(key: string, values: string[] = []): string {
  const entry = catalogue.get(key);
  if (entry === undefined) return "";
  return entry.message.replaceAll(/\$([A-Z]+)\$/g, (_whole, name: string) => {
    const content = entry.placeholders?.[name.toLowerCase()]?.content ?? "";
    return values[Number(content.slice(1)) - 1] ?? "";
  });
}
