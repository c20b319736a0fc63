/** Checks what a panel posted. It is our own page, perhaps of another version, so only the shape is in doubt. */
import { ACTION_KINDS } from "../page-tools/grants-store";
import { isRecord } from "../shared/guards";
import type { PanelMessage } from "./panel-port";

type Kind = "string" | "number" | "boolean" | "string?" | "string|null";

const commands: Record<string, Record<string, Kind>> = {
  attach: { windowId: "number", showing: "string?" },
  sync: {},
  ask: { key: "string", text: "string", mode: "string", attachPage: "boolean", previewToken: "string?" },
  stop: { turn: "string" },
  retry: { key: "string", turn: "string" },
  branch: { key: "string", turn: "string", text: "string", mode: "string", attachPage: "boolean" },
  open: { conversation: "string|null" },
  "set-mode": { key: "string", mode: "string" },
  "attach-tab": { key: "string" },
  look: {},
  reconnect: {},
  "page-granted": {},
  unpin: { token: "string" },
  "show-waiting": {},
  consent: { id: "string", answer: "string" },
};

const requests: Record<string, Record<string, Kind>> = {
  preview: { key: "string" },
  older: { key: "string" },
  list: { cursor: "string?" },
  search: { query: "string", cursor: "string?" },
  rename: { conversation: "string", title: "string" },
  delete: { conversation: "string" },
  restore: { conversation: "string" },
  models: {},
  "select-model": { model: "string" },
  detect: {},
  "set-provider": { provider: "string", baseUrl: "string?", model: "string?", apiKey: "string?" },
  pair: { code: "string" },
  "forget-pairing": {},
  pairings: {},
  revoke: { keyId: "string" },
  "delete-everything": {},
  "revoke-grant": { origin: "string", action: "string?" },
  media: { key: "string", ref: "string", offset: "number" },
};

const MODES: ReadonlySet<unknown> = new Set([
  "educational",
  "presentation",
  "configuration",
  "screenshot",
  "annotation",
]);

const ACTIONS: ReadonlySet<unknown> = new Set([undefined, ...ACTION_KINDS]);

const ANSWERS: ReadonlySet<unknown> = new Set(["once", "conversation", "always", "deny"]);

/** A message of the panel protocol. */
export function isPanelMessage(value: unknown): value is PanelMessage {
  if (!isRecord(value) || typeof value["kind"] !== "string") return false;
  const isRequest = typeof value["requestId"] === "string";
  const table = isRequest ? requests : commands;
  const shape = Object.hasOwn(table, value["kind"]) ? table[value["kind"]] : undefined;
  if (shape === undefined || (shape["mode"] !== undefined && !MODES.has(value["mode"]))) return false;
  if (shape["answer"] !== undefined && !ANSWERS.has(value["answer"])) return false;
  if (shape["action"] !== undefined && !ACTIONS.has(value["action"])) return false;
  return Object.entries(shape).every(([field, kind]) => fits(value[field], kind));
}

function fits(value: unknown, kind: Kind): boolean {
  if (kind === "string?") return value === undefined || typeof value === "string";
  if (kind === "string|null") return value === null || typeof value === "string";
  return typeof value === kind;
}
