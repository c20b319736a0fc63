/** What page tools need of the bridge: which turns run about which tab, who can be asked, and how to send. */
import type { TurnPage } from "../page-tools/guard";
import type { HostToolsDesk } from "../page-tools/host-tools";
import type { Bridge } from "./bridge";

/** The bridge as page tools see it. */
export function pageDesk(bridge: Bridge): HostToolsDesk {
  return {
    send: (frame) => bridge.link.send(frame),
    turn: (id) => turnPage(bridge, id),
    moved: (turn, origin) => bridge.turns.pageMoved(turn, origin),
    stop: (turn) => bridge.turns.stop(turn),
    reachable: (key, windowId) =>
      bridge.panels.all().some((panel) => panel.shows && (panel.conversation.key === key || panel.follows(windowId))),
    changed: (key, cards) => {
      for (const panel of bridge.panels.all()) {
        if (panel.conversation.key === key) panel.post({ kind: "consents", key, cards });
        bridge.tellElsewhere(panel);
      }
    },
  };
}

/** A turn that was asked here, with the page that was shared, and still runs. */
function turnPage(bridge: Bridge, id: string): TurnPage | undefined {
  const asked = bridge.turns.asked(id);
  const conversation = bridge.conversations.get(asked?.conversation ?? "");
  if (asked === undefined || conversation === undefined) return undefined;
  return {
    turn: id,
    conversation: conversation.key,
    ...(conversation.id !== undefined && { conversationId: conversation.id }),
    tabId: asked.request.tabId,
    tabNow: conversation.tabId,
    ...(asked.page !== undefined && { origin: asked.page.origin }),
  };
}
