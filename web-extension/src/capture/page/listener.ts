/**
 * The content script: listens for the service worker and for the hook, and answers. It does nothing by itself and
 * changes nothing on the page.
 */
import type { CaptureAsk, FrameReply, PageStateReply } from "../messages";
import { isAsk } from "../messages";
import { trim } from "../trim";
import { framePath } from "./frames";
import { isHookMessage } from "./hook-message";
import { clean } from "./names";
import { Responses } from "./responses";
import { hasSelection } from "./selection";
import { walkPage } from "./walk";

/** A frame never sends more than a whole snapshot may hold. */
const FRAME_BYTES = 64 * 1024;
/** Messages of the hook that are looked at per second; a page can forge as many as it likes. */
const MESSAGES_PER_SECOND = 60;

/** Documents that the browser's own viewers show. */
const VIEWER_TYPES = /^(?:application\/(?:pdf|x-google-chrome-pdf|octet-stream)|video\/|audio\/|image\/(?!svg))/;

/** Starts listening; ends with the signal. */
export function listen(view: Window, signal: AbortSignal): void {
  const main = view === view.parent;
  const responses = new Responses(view.location.origin, view.location.pathname);
  let answered = "";
  if (main) watchHook(view, responses, signal);
  const onMessage = (message: unknown, sender: chrome.runtime.MessageSender, reply: (answer: unknown) => void) => {
    if (sender.id !== chrome.runtime.id || !isAsk(message)) return false;
    if (message.kind === "sidewire-page-state") {
      if (main) reply(pageState(view, responses));
    } else if (message.frames === "main") {
      if (main) reply(readFrame(view, message, responses));
    } else if (!main && answered !== message.token) {
      answered = message.token;
      chrome.runtime.sendMessage(readFrame(view, message, null)).catch(() => undefined);
    }
    return false;
  };
  chrome.runtime.onMessage.addListener(onMessage);
  signal.addEventListener("abort", () => chrome.runtime.onMessage.removeListener(onMessage), { once: true });
}

/** Takes the hook's reports, and keeps the page's own listeners from seeing them. */
function watchHook(view: Window, responses: Responses, signal: AbortSignal): void {
  let second = 0;
  let count = 0;
  const onMessage = (event: MessageEvent<unknown>) => {
    if (event.source !== view || event.origin !== view.location.origin || !isHookMessage(event.data)) return;
    event.stopImmediatePropagation();
    const now = performance.now();
    count = Math.floor(now / 1000) === second ? count + 1 : 1;
    second = Math.floor(now / 1000);
    if (count <= MESSAGES_PER_SECOND) responses.note(event.data, view.location.pathname, now);
  };
  const onMove = () => responses.moveTo(view.location.pathname, performance.now());
  view.addEventListener("message", onMessage, { capture: true, signal });
  view.addEventListener("popstate", onMove, { signal });
  if ("navigation" in view) view.navigation.addEventListener("currententrychange", onMove, { signal });
}

function pageState(view: Window, responses: Responses): PageStateReply {
  const captured = responses.resource(view.location.pathname, performance.now()) !== null;
  return { kind: "sidewire-page-state", hooked: responses.hooked, captured, selection: hasSelection(view.document) };
}

function readFrame(view: Window, ask: CaptureAsk, responses: Responses | null): FrameReply {
  const page = walkPage(view);
  const { tree, moved, cut } = trim(page.tree, FRAME_BYTES);
  const frames = page.frames.flatMap((spot) => {
    const node = moved[spot.node] ?? -1;
    return node < 0 ? [] : [{ ...spot, node }];
  });
  return {
    kind: "sidewire-frame",
    token: ask.token,
    path: framePath(view),
    url: view.location.href,
    title: clean(view.document.title, 300),
    viewer: VIEWER_TYPES.test(view.document.contentType),
    tree,
    frames,
    seen: page.tree.nodes.length,
    cut: cut || page.cut,
    api: responses?.resource(view.location.pathname, performance.now()) ?? null,
  };
}
