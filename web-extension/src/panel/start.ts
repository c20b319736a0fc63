/** Starts what a page of the extension needs: store, port, theme. Everything ends with the page. */
import { PanelClient } from "./port";
import { Store } from "./store";
import { followTheme } from "./theme";

/** The running parts of a page. */
export interface Started {
  store: Store;
  client: PanelClient;
  signal: AbortSignal;
}

/** Connects this page; the service worker then says what to show. */
export async function start(): Promise<Started> {
  const life = new AbortController();
  addEventListener("pagehide", () => life.abort());
  const { signal } = life;
  followTheme(signal).catch(() => undefined);
  const store = new Store();
  const client = new PanelClient({
    windowId: await ownWindow(),
    showing: () => (store.state.loaded ? store.state.conversation.key : undefined),
    onEvent: (event) => {
      store.dispatch(event);
      if (!store.state.outOfStep) return;
      store.dispatch({ kind: "sync-sent" });
      client.send({ kind: "sync" });
    },
    onOpen: () => store.dispatch({ kind: "port-open" }),
    onLost: () => store.dispatch({ kind: "port-lost" }),
    signal,
  });
  client.connect();
  return { store, client, signal };
}

async function ownWindow(): Promise<number> {
  const { id } = await chrome.windows.getCurrent();
  return id ?? chrome.windows.WINDOW_ID_CURRENT;
}
