/** What each fault of the connection means and the one command that fixes it. Data only. */
import type { LinkFault } from "../bridge/panel-port";
import type { MessageKey } from "./i18n";

/** How a fault is explained and fixed. */
export interface FaultHelp {
  title: MessageKey;
  meaning: MessageKey;
  command: string;
  /** Native messaging is not available here, so pairing over the loopback socket helps. */
  pairing: boolean;
}

/** Help for every fault. */
export const FAULT_HELP: Record<LinkFault, FaultHelp> = {
  "host-missing": {
    title: "faultHostMissing",
    meaning: "faultHostMissingMeaning",
    command: "sidewire install",
    pairing: true,
  },
  "host-forbidden": {
    title: "faultHostForbidden",
    meaning: "faultHostForbiddenMeaning",
    command: "sidewire install",
    pairing: true,
  },
  "host-exited": {
    title: "faultHostExited",
    meaning: "faultHostExitedMeaning",
    command: "sidewire doctor",
    pairing: true,
  },
  "host-protocol": {
    title: "faultHostProtocol",
    meaning: "faultHostProtocolMeaning",
    command: "sidewire doctor",
    pairing: false,
  },
  "worker-not-installed": {
    title: "faultWorkerNotInstalled",
    meaning: "faultWorkerNotInstalledMeaning",
    command: "sidewire install",
    pairing: false,
  },
  "worker-not-started": {
    title: "faultWorkerNotStarted",
    meaning: "faultWorkerNotStartedMeaning",
    command: "sidewire serve",
    pairing: false,
  },
  "worker-unreachable": {
    title: "faultWorkerUnreachable",
    meaning: "faultWorkerUnreachableMeaning",
    command: "sidewire serve",
    pairing: true,
  },
  "handshake-failed": {
    title: "faultHandshake",
    meaning: "faultHandshakeMeaning",
    command: "sidewire doctor",
    pairing: true,
  },
  "version-mismatch": {
    title: "faultVersion",
    meaning: "faultVersionMeaning",
    command: "sidewire doctor",
    pairing: false,
  },
  "shutting-down": {
    title: "faultShuttingDown",
    meaning: "faultShuttingDownMeaning",
    command: "sidewire serve",
    pairing: false,
  },
};
