/**
 * The panel's end of the runtime port: connects, reconnects when the service worker went away, and pairs requests
 * with their answers. It knows nothing about what the panel shows.
 */
import {
  PANEL_PORT,
  type PanelEvent,
  type PanelMessage,
  type PanelRequest,
  type RefusalCode,
  type ReplyBody,
} from "../bridge/panel-port";

/** A message that expects no answer of its own. */
export type PanelCommand = Exclude<PanelMessage, { requestId: string }>;

/** What became of a request. */
export type Answer = { ok: true; body: ReplyBody } | { ok: false; code: RefusalCode; message: string };

/** The body of an answer if it succeeded with the kind that was asked for. */
export function bodyOf<Kind extends ReplyBody["kind"]>(
  answer: Answer,
  kind: Kind,
): Extract<ReplyBody, { kind: Kind }> | null {
  return answer.ok && isKind(answer.body, kind) ? answer.body : null;
}

function isKind<Kind extends ReplyBody["kind"]>(
  body: ReplyBody,
  kind: Kind,
): body is Extract<ReplyBody, { kind: Kind }> {
  return body.kind === kind;
}

/** What a client needs from its surroundings. */
export interface ClientOptions {
  windowId: number;
  /** The key of the conversation that is shown; undefined before there was one. */
  showing: () => string | undefined;
  onEvent: (event: PanelEvent) => void;
  onOpen: () => void;
  onLost: () => void;
  /** Ends the connection and everything that waits for it. */
  signal: AbortSignal;
}

const FIRST_DELAY_MS = 50;
const LAST_DELAY_MS = 2000;

const EVENT_KINDS: ReadonlySet<unknown> = new Set<PanelEvent["kind"]>([
  "link",
  "page",
  "conversation",
  "turn",
  "delta",
  "alive",
  "older",
  "consents",
  "elsewhere",
  "sent",
  "not-sent",
  "draft",
  "reply",
  "refused",
]);

/** The other end is this extension's own service worker; an older one may know kinds that this page does not. */
function isPanelEvent(value: unknown): value is PanelEvent {
  return typeof value === "object" && value !== null && "kind" in value && EVENT_KINDS.has(value.kind);
}

/** A connection to the service worker that comes back by itself. */
export class PanelClient {
  readonly #options: ClientOptions;
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  #port: chrome.runtime.Port | null = null;
  #delay = FIRST_DELAY_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#close());
  }

  get windowId(): number {
    return this.#options.windowId;
  }

  /** Opens the port; a port that breaks is opened again until the signal ends. */
  connect(): void {
    clearTimeout(this.#timer);
    if (this.#port !== null || this.#options.signal.aborted) return;
    try {
      const port = chrome.runtime.connect({ name: PANEL_PORT });
      this.#port = port;
      port.onMessage.addListener((message: unknown) => this.#receive(message));
      port.onDisconnect.addListener(() => this.#lose(port));
      port.postMessage(this.#greeting());
      this.#options.onOpen();
    } catch {
      // The extension was updated or removed under this page; only a new page can connect again.
      this.#port = null;
      this.#options.onLost();
    }
  }

  /** Sends a command; false when there is no way to the service worker. */
  send(command: PanelCommand): boolean {
    return this.#post(command);
  }

  /** Sends a request and waits for its one answer; a port that breaks is an answer too. */
  request(request: PanelRequest): Promise<Answer> {
    const requestId = crypto.randomUUID();
    return new Promise((resolve) => {
      this.#waiting.set(requestId, resolve);
      if (!this.#post({ requestId, ...request })) this.#answer(requestId, notConnected());
    });
  }

  #greeting(): PanelMessage {
    const { windowId, showing } = this.#options;
    const key = showing();
    return { kind: "attach", windowId, ...(key !== undefined && { showing: key }) };
  }

  #post(message: PanelMessage): boolean {
    this.connect();
    if (this.#port === null) return false;
    try {
      this.#port.postMessage(message);
      return true;
    } catch {
      return false;
    }
  }

  #receive(message: unknown): void {
    if (!isPanelEvent(message)) return;
    this.#delay = FIRST_DELAY_MS;
    if (message.kind === "reply") this.#answer(message.requestId, { ok: true, body: message.body });
    else if (message.kind === "refused")
      this.#answer(message.requestId, { ok: false, code: message.code, message: message.message });
    else this.#options.onEvent(message);
  }

  #answer(requestId: string, answer: Answer): void {
    const resolve = this.#waiting.get(requestId);
    this.#waiting.delete(requestId);
    resolve?.(answer);
  }

  #lose(port: chrome.runtime.Port): void {
    if (this.#port !== port) return;
    this.#port = null;
    this.#failAll();
    if (this.#options.signal.aborted) return;
    this.#options.onLost();
    this.#timer = setTimeout(() => this.connect(), this.#delay);
    this.#delay = Math.min(this.#delay * 2, LAST_DELAY_MS);
  }

  #failAll(): void {
    for (const requestId of [...this.#waiting.keys()]) this.#answer(requestId, notConnected());
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#port?.disconnect();
    this.#port = null;
    this.#failAll();
  }
}

function notConnected(): Answer {
  return { ok: false, code: "not-connected", message: "no connection to the service worker" };
}
