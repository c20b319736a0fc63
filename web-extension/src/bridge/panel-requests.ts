/**
 * What a panel asks and gets exactly one answer to: most of it is put to the worker and the answer translated.
 */
import { revokeAllGrants, revokeGrant } from "../page-tools/grants-store";
import { pinPreview } from "./ask";
import type { Bridge } from "./bridge";
import { loadClient } from "./client";
import type { Conversation } from "./conversations";
import { pairWith } from "./dial";
import type { Outcome } from "./outcome";
import { forgetPairing, parsePairingCode } from "./pairing";
import type { PanelRequest } from "./panel-port";
import type { Panel } from "./panels";
import type { Answered, Ask } from "./requests";

const DONE: Outcome = { ok: true, body: { kind: "done" } };

/** Answers a request. */
export async function answer(bridge: Bridge, panel: Panel, request: PanelRequest): Promise<Outcome> {
  if ("key" in request && request.key !== panel.conversation.key) {
    return { ok: false, code: "conflict", message: "another conversation is shown by now" };
  }
  switch (request.kind) {
    case "preview":
      return preview(bridge, panel);
    case "pair":
      return pair(bridge, request.code);
    case "revoke-grant":
      await revokeGrant(request.origin, request.action);
      return DONE;
    case "forget-pairing":
      await forgetPairing();
      if (bridge.link.link.state === "ready" && bridge.link.link.transport === "websocket") bridge.link.redial();
      return DONE;
  }
  const { conversation } = panel;
  await bridge.settled();
  switch (request.kind) {
    case "media":
      return bridge.media.read(request.ref, request.offset);
    case "older":
      return older(bridge, conversation);
    case "rename":
      return rename(bridge, request.conversation, request.title);
    case "delete":
      return remove(bridge, request.conversation);
    case "delete-everything":
      return removeAll(bridge);
    default:
      return translate(await bridge.requests.ask(askOf(request)));
  }
}

type Handled = {
  kind:
    | "preview"
    | "pair"
    | "revoke-grant"
    | "forget-pairing"
    | "media"
    | "older"
    | "rename"
    | "delete"
    | "delete-everything";
};

/** Requests that the worker answers without anything changing here. */
function askOf(request: Exclude<PanelRequest, Handled>): Ask {
  switch (request.kind) {
    case "list":
      return { type: "conversation_list", ...(request.cursor !== undefined && { cursor: request.cursor }) };
    case "search": {
      const { query, cursor } = request;
      return { type: "conversation_search", query, ...(cursor !== undefined && { cursor }) };
    }
    case "restore":
      return { type: "conversation_restore", conversation: request.conversation };
    case "models":
      return { type: "model_list" };
    case "select-model":
      return { type: "model_select", model: request.model };
    case "detect":
      return { type: "provider_detect" };
    case "set-provider": {
      const { kind: _kind, provider, ...settings } = request;
      return { type: "provider_set", kind: provider, ...settings };
    }
    case "pairings":
      return { type: "pairing_list" };
    case "revoke":
      return { type: "pairing_revoke", keyId: request.keyId };
  }
}

function translate(answered: Answered): Outcome {
  if (!answered.ok) return answered;
  const { frame } = answered;
  switch (frame.type) {
    case "conversation_page": {
      const { items, cursor } = frame;
      return { ok: true, body: { kind: "conversations", items, ...(cursor !== undefined && { cursor }) } };
    }
    case "model_page":
      return { ok: true, body: { kind: "models", current: frame.current, models: frame.models } };
    case "provider_found":
      return { ok: true, body: { kind: "servers", servers: frame.servers } };
    case "pairing_page":
      return { ok: true, body: { kind: "pairings", items: frame.items } };
    case "conversation_transcript":
    case "request_done":
      return DONE;
  }
}

async function preview(bridge: Bridge, panel: Panel): Promise<Outcome> {
  const pinned = await pinPreview(panel.conversation, bridge.reader);
  await bridge.refreshChip(panel);
  if (pinned === null) return { ok: false, code: "page-unreadable", message: "the page could not be read" };
  return { ok: true, body: { kind: "preview", preview: pinned } };
}

async function pair(bridge: Bridge, code: string): Promise<Outcome> {
  const pairing = parsePairingCode(code);
  if (pairing === null) return { ok: false, code: "pairing-refused", message: "not a pairing code" };
  const closed = await pairWith(await loadClient(), pairing);
  if (closed !== null) return { ok: false, code: "pairing-refused", message: closed.detail ?? closed.fault };
  bridge.link.restart();
  return DONE;
}

async function older(bridge: Bridge, conversation: Conversation): Promise<Outcome> {
  const { id, before } = conversation;
  if (id === undefined || before === undefined) return DONE;
  const answered = await bridge.requests.ask({ type: "conversation_get", conversation: id, before });
  if (!answered.ok || answered.frame.type !== "conversation_transcript") return translate(answered);
  const known = new Set(conversation.turns.map((turn) => turn.id));
  const unknown = answered.frame.turns.filter((turn) => !known.has(turn.id));
  const turns = unknown.map((turn) => bridge.tools.secrets.masked(turn));
  conversation.turns = [...turns, ...conversation.turns];
  const next = answered.frame.before;
  if (next === undefined) delete conversation.before;
  else conversation.before = next;
  for (const shown of bridge.panels.showing(conversation)) {
    shown.post({ kind: "older", key: conversation.key, turns, ...(next !== undefined && { before: next }) });
  }
  return DONE;
}

async function rename(bridge: Bridge, id: string, title: string): Promise<Outcome> {
  const answered = await bridge.requests.ask({ type: "conversation_rename", conversation: id, title });
  const conversation = bridge.conversations.ofId(id);
  if (answered.ok && conversation !== undefined) {
    conversation.title = title;
    bridge.conversations.save();
    bridge.tell(conversation);
  }
  return translate(answered);
}

async function remove(bridge: Bridge, id: string): Promise<Outcome> {
  const answered = await bridge.requests.ask({ type: "conversation_delete", conversation: id });
  const conversation = bridge.conversations.ofId(id);
  if (answered.ok && conversation !== undefined) {
    const showing = bridge.panels.showing(conversation);
    bridge.conversations.remove(conversation);
    for (const panel of showing) bridge.show(panel, bridge.fresh(panel.frontTab, conversation.mode));
  }
  return translate(answered);
}

async function removeAll(bridge: Bridge): Promise<Outcome> {
  const answered = await bridge.requests.ask({ type: "data_delete" });
  if (answered.ok) {
    bridge.turns.stopAll();
    await revokeAllGrants();
    bridge.conversations.clear();
    for (const panel of bridge.panels.all()) bridge.show(panel, bridge.fresh(panel.frontTab));
  }
  return translate(answered);
}
