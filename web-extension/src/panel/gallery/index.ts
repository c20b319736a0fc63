/**
 * The gallery: the panel or the options page in one scripted state, as a plain web page.
 *
 * `?scene=` names the state, `?theme=` the theme, `?page=options` the options page. Not part of the extension.
 */
import type { PanelEvent, PanelMessage, ReplyBody } from "../../bridge/panel-port";
import { main as options } from "../../options/main";
import { revokeGrant } from "../../page-tools/grants-store";
import { main as panel } from "../main";
import { card } from "./acting";
import { type FakePort, installFakeChrome } from "./fake-chrome";
import { conversation, history, preview, ready, turn } from "./fixtures";
import { chunkOf, type MediaMode } from "./media";
import type { Scene } from "./scene";
import { SCENES } from "./scenes";

const query = new URLSearchParams(location.search);
const scene: Scene = (await SCENES.get(query.get("scene") ?? "")?.()) ?? { events: [] };
const posted: PanelMessage[] = [];
const ports: FakePort[] = [];

/** What the page was asked for and a way to speak to it, for the tests that drive it. */
const gallery = {
  posted,
  /** How reads of media are answered from now on. */
  media: scene.media ?? "well",
  post: (event: PanelEvent) => ports.at(-1)?.post(event),
  breakPort: () => ports.at(-1)?.break(),
  turn,
  conversation,
  card,
  ready,
  scene,
  asked: installFakeChrome({
    connected: (port) => {
      ports.push(port);
      for (const event of scene.events) port.post(event);
    },
    received: (message, port) => {
      posted.push(message);
      if (!("requestId" in message)) return;
      const answer = answerTo(message, scene);
      if (message.kind !== "revoke-grant") return answer === null ? undefined : port.post(answer);
      void revokeGrant(message.origin, message.action).then(() => answer !== null && port.post(answer));
    },
    grantSites: true,
    managed: scene.managed ?? {},
    session: scene.session ?? {},
    local: { ...scene.local, theme: query.get("theme") ?? "light", setupDismissed: scene.setupDismissed === true },
  }),
};

Object.assign(globalThis, { gallery });

type Request = Extract<PanelMessage, { requestId: string }>;

/** The answer to a request; null for one that is left without. */
function answerTo(request: Request, { noHistory = false }: Scene): PanelEvent | null {
  const { requestId } = request;
  if (request.kind === "media") return mediaAnswer(request, gallery.media);
  if (request.kind === "pair" && request.code === "wrong")
    return { kind: "refused", requestId, code: "pairing-refused", message: "wrong code" };
  return { kind: "reply", requestId, body: bodyFor(request, noHistory) };
}

function mediaAnswer(request: Extract<Request, { kind: "media" }>, mode: MediaMode): PanelEvent | null {
  const { requestId, ref, offset } = request;
  if (mode === "half" && offset > 0) return null;
  const chunk = chunkOf(ref, offset, mode);
  const code = mode === "lost" ? "not-connected" : "media-unavailable";
  return chunk === null
    ? { kind: "refused", requestId, code, message: "asset-unavailable" }
    : { kind: "reply", requestId, body: { kind: "media", chunk } };
}

function bodyFor(request: Request, noHistory: boolean): ReplyBody {
  switch (request.kind) {
    case "preview":
      return { kind: "preview", preview };
    case "list":
      return { kind: "conversations", items: noHistory ? [] : history(), ...(noHistory ? {} : { cursor: "50" }) };
    case "search": {
      const words = request.query.toLowerCase();
      return { kind: "conversations", items: history().filter((item) => item.title.toLowerCase().includes(words)) };
    }
    case "models":
      return { kind: "models", current: ready.model, models: models() };
    case "detect":
      return {
        kind: "servers",
        servers: [{ label: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", models: ["qwen3:14b", "llama3.2"] }],
      };
    case "pairings":
      return { kind: "pairings", items: pairings() };
    default:
      return { kind: "done" };
  }
}

function models() {
  return [
    { id: "qwen3-14b", label: "qwen3-14b", provider: "openai", offline: false },
    { id: "llama3.2", label: "llama3.2", provider: "openai", offline: false },
    { id: "offline", label: "Offline", provider: "offline", offline: true },
  ];
}

function pairings() {
  const createdAt = Date.now() - 90_000_000;
  return [
    {
      keyId: "key-abcdefgh12345678",
      label: "Chromium on this computer",
      createdAt,
      lastSeenAt: Date.now(),
      current: true,
    },
    { keyId: "key-bbbbbbbb12345678", label: "Firefox", createdAt },
  ];
}

void (query.get("page") === "options" ? options() : panel());
