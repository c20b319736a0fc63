/** Turns what the browser and the native host say about a broken connection into the panel's own faults. */
import type { BridgeError, ChatErrorReason } from "../contract/types";
import type { LinkFault } from "./panel-port";

/** Why a transport ended, in words the panel has a text for. */
export interface Closed {
  fault: LinkFault;
  /** For the options page and bug reports; never shown as the explanation. */
  detail?: string;
}

/** The browser's own sentences (measured); several different faults share the first one, which is why `sidewire doctor` exists. */
const disconnects: readonly (readonly [string, LinkFault])[] = [
  ["host not found", "host-missing"],
  ["host is forbidden", "host-forbidden"],
  ["Invalid native messaging host name", "host-missing"],
  ["Native host has exited", "host-exited"],
  ["Error when communicating", "host-protocol"],
];

/** Reads `runtime.lastError` of a native port that closed (N22). */
export function faultOfDisconnect(message: string | undefined): Closed {
  if (message === undefined) return { fault: "host-exited" };
  const known = disconnects.find(([part]) => message.includes(part));
  return { fault: known?.[1] ?? "host-protocol", detail: message };
}

const codes: Record<BridgeError["code"], LinkFault | null> = {
  "origin-refused": "host-forbidden",
  "worker-not-installed": "worker-not-installed",
  "worker-not-started": "worker-not-started",
  "worker-unreachable": "worker-unreachable",
  "handshake-failed": "handshake-failed",
  "version-mismatch": "version-mismatch",
  "shutting-down": "shutting-down",
  // About one frame of ours, not about the connection.
  "frame-too-large": null,
  "bad-frame": null,
  "too-many-turns": null,
};

/** The fault that ends the connection, or null when the frame complains about one frame only. */
export function faultOfBridgeError(error: BridgeError): Closed | null {
  const fault = codes[error.code];
  return fault === null ? null : { fault, detail: error.message };
}

const OURS: ReadonlySet<ChatErrorReason | undefined> = new Set([
  "bridge-disconnected",
  "bridge-unresponsive",
  "no-worker",
]);

/** A failure that only we know of: the worker may have finished the turn meanwhile. */
export function isLinkReason(reason: ChatErrorReason | undefined): boolean {
  return OURS.has(reason);
}
