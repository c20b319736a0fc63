/**
 * What crosses the runtime port between a panel (or the options page) and the service worker.
 *
 * The service worker owns the connection to the worker and every running turn; a panel is a view that may vanish
 * and come back at any moment. Whatever a panel shows can be rebuilt from one `conversation` message, so a broken
 * port loses nothing.
 */
import type {
  ChatErrorReason,
  ConversationItem,
  MediaAssetChunk,
  Mode,
  ModelItem,
  ModelState,
  PageContextSnapshot,
  PairingItem,
  ServerFound,
  TurnRecord,
} from "../contract/types";

/** Name of the runtime port a panel opens. */
export const PANEL_PORT = "sidewire-panel";

/** How long a part of a media file may take; on both sides, so that nobody waits for what the other has given up. */
export const MEDIA_READ_MS = 15_000;

/** Why there is no usable connection; each has its own text and its own fix in the panel. */
export type LinkFault =
  | "host-missing"
  | "host-forbidden"
  | "host-exited"
  | "host-protocol"
  | "worker-not-installed"
  | "worker-not-started"
  | "worker-unreachable"
  | "handshake-failed"
  | "version-mismatch"
  | "shutting-down";

/** State of the connection to the worker. */
export type Link =
  | { state: "connecting" }
  | {
      state: "ready";
      transport: "native" | "websocket";
      workerVersion: string;
      model: ModelState;
      /** The worker did not take our page tools: the assistant can neither look again nor act. */
      toolsRefused?: true;
    }
  /** `sinceMs` and `nextTryAt` are instants (ms since 1970); the panel counts down to `nextTryAt` when it is there. */
  | { state: "reconnecting"; sinceMs: number; nextTryAt?: number }
  | { state: "down"; fault: LinkFault; detail?: string; nextTryAt?: number };

/** Why the page in view cannot be read. */
export type PageFault = "restricted-page" | "blocked-by-policy" | "needs-permission" | "no-tab" | "capture-failed";

/** The page chip: which page the next question would carry. */
export type PageChip =
  | {
      state: "readable";
      tabId: number;
      title: string;
      url: string;
      host: string;
      /** Bytes of the last capture, when one was taken. */
      bytes?: number;
      selection: boolean;
      /** The conversation is about another tab than the one in front. */
      other: boolean;
      /** It is not the conversation's page, which is gone or shows something else: it is sent only once it was attached. */
      offered?: true;
      /** API responses of this page can be captured (lasting site grant and a reload since). */
      api: "captured" | "none" | "needs-grant" | "needs-reload";
    }
  | { state: "unreadable"; fault: PageFault; title?: string; url?: string; host?: string; origin?: string };

/** What was cut or hidden from a snapshot, for the preview. */
export interface CaptureReport {
  bytes: number;
  budget: number;
  /** Nodes found and nodes sent. */
  nodesSeen: number;
  nodesSent: number;
  /** JSON pointers (in the snapshot) of values that were replaced by `[redacted]`. */
  redacted: string[];
  frames: number;
  framesUnreadable: number;
}

export interface Preview {
  token: string;
  snapshot: PageContextSnapshot;
  report: CaptureReport;
}

/** A turn as the panel shows it: the worker's record plus what only this browser knows. */
export interface TurnView extends TurnRecord {
  /** The panel was told to stop it; what arrives later for it is ignored. */
  stopping?: boolean;
  /** The request has not reached the worker yet. */
  pending?: boolean;
  /** It will be asked again by itself, once, or that is under way (chat contract reasons that allow it). */
  resending?: boolean;
  /**
   * When the next attempt starts by itself (ms since 1970), for the countdown: from `turn_notice` retrying's `waitMs`,
   * or from the service worker's own resend. Absent when nothing is scheduled.
   */
  retryAt?: number;
}

/** Kinds of action that a person allows or refuses, per site (decision 28). */
export type ActionKind = "click" | "type" | "choose" | "press" | "scroll" | "navigate";

/** What a person may answer to a consent card. */
export type ConsentAnswer = "once" | "conversation" | "always" | "deny";

/** An action that waits for the person. All its texts come from the page or the model: shown as text only. */
export interface ConsentCard {
  id: string;
  /** The turn that wants to act. */
  turn: string;
  action: ActionKind;
  /** Host of what it acts on: the page's, or that of a frame in it. */
  site: string;
  /** Host of the page around, where it acts in a frame of another origin: only this once, then. */
  page?: string;
  /** Name of what it acts on, whole; the whole address for `navigate`. Absent where it has none. */
  target?: string;
  /** ARIA role of what it acts on. */
  role?: string;
  /** Where on the page that is: its row, group or dialog. */
  context?: string;
  /** What it would type, choose or press, whole. */
  value?: string;
  /** The field holds a password: asked each time. */
  secret?: true;
  /** The answers that are open; policy may leave out the lasting ones. `deny` is always among them. */
  choices: ConsentAnswer[];
  /** Unanswered at this instant (ms since 1970) it counts as `deny`; absent while other cards are before it. */
  expiresAt?: number;
}

export interface ConversationView {
  /** Name of what is shown. Whatever a panel does to a conversation says which one it meant. */
  key: string;
  /** Absent until the first turn was accepted. */
  id?: string;
  title: string;
  mode: Mode;
  turns: TurnView[];
  /** Older turns can be asked for. */
  before?: string;
  /** Nothing of it is stored (incognito). */
  ephemeral: boolean;
}

/**
 * Panel → service worker. Every message with `requestId` gets exactly one `reply` or `refused`.
 *
 * A message with `key` is about the conversation of that name. The service worker may have gone on to another one that
 * the panel has not drawn yet: then nothing is done, and a question comes back as `not-sent`.
 */
export type PanelMessage =
  /** `showing` is the key of what the panel still shows from before the port broke. */
  | { kind: "attach"; windowId: number; showing?: string }
  | { kind: "sync" }
  | { kind: "ask"; key: string; text: string; mode: Mode; attachPage: boolean; previewToken?: string }
  | { kind: "stop"; turn: string }
  | { kind: "retry"; key: string; turn: string }
  /** Ask again from an earlier prompt: makes a branch of the conversation. */
  | { kind: "branch"; key: string; turn: string; text: string; mode: Mode; attachPage: boolean }
  | { kind: "open"; conversation: string | null }
  | { kind: "set-mode"; key: string; mode: Mode }
  | { kind: "attach-tab"; key: string }
  /** The person turned to the panel: what the page chip says may be out of date. */
  | { kind: "look" }
  | { kind: "reconnect" }
  | { kind: "page-granted" }
  | { kind: "unpin"; token: string }
  | { kind: "consent"; id: string; answer: ConsentAnswer }
  /** Brings the conversation that waits elsewhere, and its tab, to the front. */
  | { kind: "show-waiting" }
  | ({ requestId: string } & PanelRequest);

export type PanelRequest =
  | { kind: "preview"; key: string }
  | { kind: "older"; key: string }
  | { kind: "list"; cursor?: string }
  | { kind: "search"; query: string; cursor?: string }
  | { kind: "rename"; conversation: string; title: string }
  | { kind: "delete"; conversation: string }
  | { kind: "restore"; conversation: string }
  | { kind: "models" }
  | { kind: "select-model"; model: string }
  | { kind: "detect" }
  | { kind: "set-provider"; provider: "openai" | "offline"; baseUrl?: string; model?: string; apiKey?: string }
  | { kind: "pair"; code: string }
  | { kind: "forget-pairing" }
  | { kind: "pairings" }
  | { kind: "revoke"; keyId: string }
  | { kind: "delete-everything" }
  /** Takes back what the person allowed on a site, for good or in any conversation: one kind of action, or all. */
  | { kind: "revoke-grant"; origin: string; action?: ActionKind }
  /** A part of a file of this conversation's media, from `offset` on (chat contract 2.1.0, media_asset_read). */
  | { kind: "media"; key: string; ref: string; offset: number };

export type ReplyBody =
  | { kind: "preview"; preview: Preview }
  | { kind: "conversations"; items: ConversationItem[]; cursor?: string }
  | { kind: "models"; current: ModelState; models: ModelItem[] }
  | { kind: "servers"; servers: ServerFound[] }
  | { kind: "pairings"; items: PairingItem[] }
  | { kind: "media"; chunk: MediaAssetChunk["chunk"] }
  | { kind: "done" };

/** Codes of a refused request: those of `request_error` plus what the browser side finds itself. */
export type RefusalCode =
  | "bad-request"
  | "not-found"
  | "conflict"
  | "forbidden"
  | "too-large"
  | "provider-failed"
  | "storage-failed"
  | "unsupported"
  | "not-connected"
  | "page-unreadable"
  | "pairing-refused"
  | "media-unavailable";

/** Service worker → panel. */
export type PanelEvent =
  | { kind: "link"; link: Link }
  | { kind: "page"; page: PageChip }
  /** The whole conversation shown; replaces what the panel had. */
  | { kind: "conversation"; conversation: ConversationView }
  /** One turn, whole; replaces the turn of that id or is appended. With another `key` than what is shown it is ignored. */
  | { kind: "turn"; key: string; turn: TurnView }
  /** Text of a running turn; `at` is the length (UTF-16 units) before it. A panel whose length differs sends `sync`. */
  | { kind: "delta"; key: string; turn: string; at: number; text: string }
  /** Proof of life of a running turn. */
  | { kind: "alive"; key: string; turn: string }
  | { kind: "older"; key: string; turns: TurnView[]; before?: string }
  /** All actions of the conversation that wait for the person, oldest first; replaces the list before. */
  | { kind: "consents"; key: string; cards: ConsentCard[] }
  /** Another conversation of this window waits for the person, or does not any more. */
  | { kind: "elsewhere"; waits: boolean }
  /** The question is written down and will be asked, whatever happens to the service worker. */
  | { kind: "sent" }
  /** The question could not be sent; the text goes back into the composer. */
  | { kind: "not-sent"; text: string; reason: ChatErrorReason | "page-changed" | "too-long" }
  /** "Ask Sidewire about this" was chosen in a page's context menu. */
  | { kind: "draft"; text: string }
  | { kind: "reply"; requestId: string; body: ReplyBody }
  | { kind: "refused"; requestId: string; code: RefusalCode; message: string };
