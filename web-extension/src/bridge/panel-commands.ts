/** What a panel tells the service worker to do: one function per command, and a table that finds it. */
import { NO_PAGE, prepare, type Question } from "./ask";
import type { Bridge } from "./bridge";
import type { Conversation } from "./conversations";
import { belongs, tabFacts } from "./page";
import type { PanelMessage } from "./panel-port";
import type { Panel } from "./panels";

/** A message that gets no answer of its own; attaching is the port's business. */
export type Command = Exclude<PanelMessage, { requestId: string } | { kind: "attach" }>;

/** Does what a panel asked for. */
export async function obey(bridge: Bridge, panel: Panel, command: Command): Promise<void> {
  switch (command.kind) {
    case "sync":
      return bridge.tell(panel.conversation);
    case "ask":
      return ask(bridge, panel, command);
    case "stop":
      return bridge.turns.stop(command.turn);
    case "retry":
      return retry(bridge, panel, command.turn);
    case "branch":
      return branch(bridge, panel, command);
    case "open":
      return open(bridge, panel, command.conversation);
    case "set-mode":
      panel.conversation.mode = command.mode;
      bridge.conversations.save();
      return bridge.tell(panel.conversation);
    case "attach-tab":
      return attachTab(bridge, panel);
    case "reconnect":
      return bridge.link.restart();
    case "page-granted":
      delete panel.conversation.unreadable;
      return bridge.refreshChip(panel);
    case "unpin":
      if (panel.conversation.preview?.token === command.token) delete panel.conversation.preview;
  }
}

/** Asks in the conversation the panel shows now, whatever it shows when the page has been read. */
async function ask(bridge: Bridge, panel: Panel, question: Question): Promise<void> {
  const { conversation } = panel;
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
    await bridge.turns.start(conversation.key, prepared.request);
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
  await ask(bridge, panel, { text: turn.prompt, mode: turn.mode, attachPage: turn.page !== undefined });
}

/** Goes back to an earlier prompt: the worker copies what came before it into a new conversation. */
async function branch(bridge: Bridge, panel: Panel, command: Extract<Command, { kind: "branch" }>): Promise<void> {
  const from = panel.conversation;
  if (from.id === undefined) return ask(bridge, panel, command);
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
  bridge.show(panel, copy);
  await ask(bridge, panel, command);
}

/** Shows a stored conversation, or a new one about the tab in front. */
async function open(bridge: Bridge, panel: Panel, id: string | null): Promise<void> {
  if (id === null) return bridge.show(panel, bridge.fresh(panel.frontTab, panel.conversation.mode));
  const conversation = bridge.conversations.stored(id);
  await bridge.settled();
  const found = await bridge.load(conversation);
  if (found) await settleIn(bridge, panel, conversation);
  else bridge.conversations.remove(conversation);
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
