/** What the scenarios need of an ACP client, whatever it is written with. */
import { field } from "../json";
import type { Desk } from "./desk";

/** An update as it came. */
export interface Update {
  sessionId: string;
  update: Record<string, unknown>;
}

/** A refusal of the agent, as the client reports it. */
export class AcpError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A connected client. */
export interface AcpClient {
  readonly updates: Update[];
  /** Sends a request of the protocol; rejects with an {@link AcpError}. */
  request(method: string, params: Record<string, unknown>): Promise<unknown>;
  /** Sends `session/cancel`. */
  cancel(sessionId: string): Promise<void>;
  /** Leaves, as an editor that is closed. */
  close(): Promise<void>;
}

/** How to start one. */
export interface Launch {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  desk: Desk;
}

/** A kind of client. */
export interface ClientKind {
  name: string;
  connect(launch: Launch): Promise<AcpClient>;
}

/** What these editors can do for an agent. */
export const CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  auth: { terminal: true },
} as const;

/** A JSON object, or an error. */
export function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("expected an object");
  return Object.fromEntries(Object.entries(value));
}

/** Updates of one kind. */
export function ofKind(updates: readonly Update[], kind: string): Record<string, unknown>[] {
  return updates.map(({ update }) => update).filter((update) => update["sessionUpdate"] === kind);
}

/** The joined text of chunks of one kind. */
export function textOf(updates: readonly Update[], kind = "agent_message_chunk"): string {
  return ofKind(updates, kind)
    .map((update) => field(update["content"], "text"))
    .join("");
}
