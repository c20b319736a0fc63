/**
 * Takes the runtime ports of panels: who may open one, what a panel sees first, and where its messages go.
 */
import { TOOLS_PORT } from "../page-tools/messages";
import { isOwnPage } from "../shared/platform";
import type { Bridge } from "./bridge";
import type { Conversation } from "./conversations";
import type { Outcome } from "./outcome";
import { frontTabOf } from "./page";
import { obey } from "./panel-commands";
import { isPanelMessage } from "./panel-message";
import { PANEL_PORT, type PanelMessage } from "./panel-port";
import { answer } from "./panel-requests";
import { Panel, placeOf } from "./panels";

/** Text chosen in a page before the panel of its window was there. */
export class Drafts {
  readonly #waiting = new Map<number, string>();
  readonly #bridge: Bridge;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  /** Hands a text to the panel of a window, now or when it opens. */
  offer(windowId: number, text: string): void {
    const [panel] = this.#bridge.panels.inWindow(windowId);
    if (panel === undefined) this.#waiting.set(windowId, text);
    else panel.post({ kind: "draft", text });
  }

  /** A panel was opened. */
  deliver(panel: Panel): void {
    const text = this.#waiting.get(panel.windowId);
    this.#waiting.delete(panel.windowId);
    if (text !== undefined) panel.post({ kind: "draft", text });
  }
}

/** Accepts a port if it is a panel's; pages of other extensions and content scripts are turned away (S27). */
export function acceptPort(bridge: Bridge, restored: Promise<void>, drafts: Drafts, port: chrome.runtime.Port): void {
  // Held open by a frame that is acted on; that it breaks when we die is all it is for.
  if (port.name === TOOLS_PORT && port.sender?.id === chrome.runtime.id) return;
  if (port.name !== PANEL_PORT || !isOwnPage(port.sender)) {
    port.disconnect();
    return;
  }
  const life = new AbortController();
  let attached: Promise<Panel> | undefined;
  port.onMessage.addListener((message: unknown) => {
    if (!isPanelMessage(message)) return;
    if ("kind" in message && message.kind === "attach") {
      attached = restored.then(() => attach(bridge, port, message));
      attached
        .then((panel) => (life.signal.aborted ? leave(bridge, port) : drafts.deliver(panel)))
        .catch(() => port.disconnect());
    } else attached?.then((panel) => handle(bridge, panel, message)).catch(() => undefined);
  });
  port.onDisconnect.addListener(() => {
    life.abort();
    leave(bridge, port);
  });
}

type Attach = Extract<PanelMessage, { kind: "attach" }>;

async function attach(bridge: Bridge, port: chrome.runtime.Port, { windowId, showing }: Attach): Promise<Panel> {
  const ownTab = port.sender?.tab?.id;
  const frontTab = await frontTabOf(windowId, ownTab);
  bridge.link.need();
  const panel = new Panel(port, windowId, conversationFor(bridge, placeOf(windowId, ownTab), frontTab));
  panel.frontTab = frontTab;
  bridge.panels.add(port, panel);
  panel.post({ kind: "link", link: bridge.link.link });
  bridge.show(panel, panel.conversation, panel.conversation.key === showing);
  return panel;
}

/** What the panel showed before the service worker died, else what its tab shows, else something new. */
function conversationFor(bridge: Bridge, place: string, frontTab: number | undefined): Conversation {
  const claimed = bridge.conversations.get(bridge.places.claim(place) ?? "");
  const known = claimed ?? (frontTab === undefined ? undefined : bridge.conversations.ofTab(frontTab));
  return known ?? bridge.fresh(frontTab);
}

function leave(bridge: Bridge, port: chrome.runtime.Port): void {
  const panel = bridge.panels.remove(port);
  if (panel === undefined) return;
  // The end of a panel's old port may be told after its new one has attached.
  if (!bridge.panels.all().some(({ place }) => place === panel.place)) bridge.places.forget(panel.place);
  bridge.tools.consents.panelLeft();
  bridge.rest();
}

async function handle(bridge: Bridge, panel: Panel, message: Exclude<PanelMessage, Attach>): Promise<void> {
  if (!("requestId" in message)) return obey(bridge, panel, message);
  const { requestId, ...request } = message;
  const outcome = await answer(bridge, panel, request).catch(
    (): Outcome => ({ ok: false, code: "storage-failed", message: "the browser refused to store or read something" }),
  );
  if (outcome.ok) panel.post({ kind: "reply", requestId, body: outcome.body });
  else panel.post({ kind: "refused", requestId, code: outcome.code, message: outcome.message });
}
