/** What a panel tells the service worker to do: one function per command, and a table that finds it. */
import { NO_PAGE, prepare, type Question } from "./ask";
import type { Bridge } from "./bridge";
import type { Conversation } from "./conversations";
import { belongs, tabFacts } from "./page";
import type { PanelMessage } from "./panel-port";
import type { Panel } from "./panels";

/** A message that gets no answer of its own; attaching is the port's business. */
export type Command = Exclude<PanelMessage, { requestId: string } | { kind: "attach" }>;

/** Does what a panel asked for, unless it meant a conversation that is not shown any more. */
export async function obey(bridge: Bridge, panel: Panel, command: Command): Promise<void> {
  const { conversation } = panel;
  if ("key" in command && command.key !== conversation.key) return refuse(bridge, panel, command);
  switch (command.kind) {
    case "sync":
      bridge.tell(conversation);
      return bridge.tellConsents(panel);
    case "ask":
      return ask(bridge, panel, conversation, command);
    case "stop":
      return bridge.turns.stop(command.turn);
    case "retry":
      return retry(bridge, panel, command.turn);
    case "branch":
      return branch(bridge, panel, command);
    case "open":
      return open(bridge, panel, command.conversation);
    case "set-mode":
      conversation.mode = command.mode;
      bridge.conversations.save();
      return bridge.tell(conversation);
    case "attach-tab":
      return attachTab(bridge, panel);
    case "reconnect":
      return bridge.link.restart();
    case "page-granted":
      delete conversation.unreadable;
      return bridge.refreshChip(panel);
    case "look":
      return bridge.refreshChip(panel);
    case "consent":
      if (panel.shows) bridge.tools.consents.answer(conversation.key, command.id, command.answer);
      return;
    case "show-waiting":
      return showWaiting(bridge, panel);
    case "unpin":
      if (conversation.preview?.token === command.token) delete conversation.preview;
  }
}

/** The panel had not drawn yet what it shows now: it gets that again, and the text of a question comes back to it. */
function refuse(bridge: Bridge, panel: Panel, command: Extract<Command, { key: string }>): void {
  bridge.show(panel, panel.conversation);
  const text = textOf(bridge, command);
  if (text !== undefined) panel.post({ kind: "not-sent", text, reason: "page-changed" });
}

function textOf(bridge: Bridge, command: Extract<Command, { key: string }>): string | undefined {
  if (command.kind === "ask" || command.kind === "branch") return command.text;
  if (command.kind !== "retry") return undefined;
  return bridge.conversations.get(command.key)?.turns.find((turn) => turn.id === command.turn)?.prompt;
}

/** Asks in a conversation, whatever the panel shows when the page has been read. */
async function ask(bridge: Bridge, panel: Panel, conversation: Conversation, question: Question): Promise<void> {
  if (conversation.asking || conversation.turns.some((turn) => turn.state === "running")) {
    panel.post({ kind: "not-sent", text: question.text, reason: "session-busy" });
    return;
  }
  conversation.asking = true;
  bridge.turns.giveUpWaiting(conversation.key);
  bridge.link.need();
  const prepared = await prepare(conversation, question, bridge.reader).finally(() => {
    conversation.asking = false;
  });
  if (prepared.ok) {
    conversation.mode = question.mode;
    const { sessionKey } = prepared.request;
    if (sessionKey !== NO_PAGE) conversation.sessionKey = sessionKey;
    bridge.conversations.save();
    bridge.tools.turnBegan(prepared.request.tabId);
    await bridge.turns.start(conversation.key, prepared.request, prepared.page);
    panel.post({ kind: "sent" });
    // An attempt that failed while the page was read said nothing about this turn; the next one will.
    bridge.link.need();
  } else panel.post({ kind: "not-sent", text: question.text, reason: prepared.reason });
  await bridge.refreshChip(panel);
}

/** Asks a question again; one that never reached the worker leaves no trace. */
async function retry(bridge: Bridge, panel: Panel, id: string): Promise<void> {
  const { conversation } = panel;
  const turn = conversation.turns.find((known) => known.id === id);
  if (turn === undefined || turn.state === "running") return;
  bridge.turns.giveUp(id);
  if (turn.pending === true) {
    conversation.turns = conversation.turns.filter((known) => known.id !== id);
    bridge.tell(conversation);
  }
  const { prompt: text, mode, page } = turn;
  await ask(bridge, panel, conversation, { text, mode, attachPage: page !== undefined });
}

/** Goes back to an earlier prompt: the worker copies what came before it into a new conversation. */
async function branch(bridge: Bridge, panel: Panel, command: Extract<Command, { kind: "branch" }>): Promise<void> {
  const from = panel.conversation;
  if (from.id === undefined) return ask(bridge, panel, from, command);
  const request = { type: "conversation_branch", conversation: from.id, before: command.turn } as const;
  const answered = await bridge.requests.ask(request);
  if (!answered.ok || answered.frame.type !== "conversation_transcript") {
    const reason = !answered.ok && answered.code === "not-connected" ? "bridge-disconnected" : "session-disposed";
    panel.post({ kind: "not-sent", text: command.text, reason });
    return;
  }
  const copy = bridge.conversations.stored(answered.frame.conversation.id);
  if (from.sessionKey !== undefined) copy.sessionKey = from.sessionKey;
  bridge.fill(copy, answered.frame);
  if (from.tabId !== undefined) bridge.conversations.bind(copy, from.tabId);
  if (panel.conversation === from) bridge.show(panel, copy);
  await ask(bridge, panel, copy, command);
}

/** Shows a stored conversation, or a new one about the tab in front. */
async function open(bridge: Bridge, panel: Panel, id: string | null): Promise<void> {
  if (id === null) return bridge.show(panel, bridge.fresh(panel.frontTab, panel.conversation.mode));
  const known = bridge.conversations.ofId(id);
  const conversation = known ?? bridge.conversations.stored(id);
  await bridge.settled();
  const found = await bridge.load(conversation);
  if (found) await settleIn(bridge, panel, conversation);
  // A list may be out of date: what somebody else still shows is not ours to forget.
  else if (known === undefined && bridge.panels.showing(conversation).length === 0) {
    bridge.conversations.remove(conversation);
  }
  bridge.show(panel, found ? conversation : panel.conversation);
}

/** A conversation that belongs to the page in front is about it from now on. */
async function settleIn(bridge: Bridge, panel: Panel, conversation: Conversation): Promise<void> {
  const front = await tabFacts(panel.frontTab);
  if (front === null) return;
  const fits = front.url !== undefined && belongs(conversation, front.url, bridge.reader.sessionKeyOf);
  if (fits && conversation.tabId === undefined) bridge.conversations.bind(conversation, front.id);
  else bridge.conversations.showIn(conversation, front.id);
}

/** Goes to the conversation that waits for the person, and to the page it asks about. */
async function showWaiting(bridge: Bridge, panel: Panel): Promise<void> {
  const waiting = bridge.waitingElsewhere(panel);
  if (waiting === undefined) return;
  const { tabId } = waiting;
  if (tabId !== undefined) {
    bridge.conversations.showIn(waiting, tabId);
    await chrome.tabs.update(tabId, { active: true }).catch(() => undefined);
  }
  bridge.show(panel, waiting);
}

/** Takes the page in front; another tenant's page always begins another conversation (decision 15). */
async function attachTab(bridge: Bridge, panel: Panel): Promise<void> {
  const front = await tabFacts(panel.frontTab);
  if (front === null) return bridge.refreshChip(panel);
  const { conversation } = panel;
  if (!belongs(conversation, front.url, bridge.reader.sessionKeyOf)) {
    return bridge.show(panel, bridge.fresh(panel.frontTab, conversation.mode));
  }
  bridge.conversations.bind(conversation, front.id);
  await bridge.refreshChip(panel);
}
