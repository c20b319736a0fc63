/**
 * Watches the page's own fetch and XMLHttpRequest for JSON responses, in the page's world.
 *
 * It never changes, delays or awaits what the page receives: it reads a copy, bounded in size and time, and reports
 * it by `postMessage`. Only GET requests to the page's own origin are looked at.
 */
import type { HookMessage } from "./hook-message";
import { HOOK_MARK, RESPONSE_MAX } from "./hook-message";

const READ_MILLISECONDS = 15_000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

type View = Window & typeof globalThis;

/** Puts the hook in place; the returned function takes it out again. */
export function installHook(view: View): () => void {
  const undo = [hookFetch(view), ...hookXhr(view)];
  report(view, { mark: HOOK_MARK, kind: "ready" });
  return () => {
    for (const each of undo) each();
  };
}

function hookFetch(view: View): () => void {
  const original = view.fetch;
  // A proxy keeps name, length and look of the function.
  const hooked = new Proxy(original, {
    apply: (target, self: unknown, args: Parameters<typeof fetch>) => {
      const answer = Reflect.apply(target, self, args);
      if (methodOf(...args) === "GET") answer.then((response) => watch(view, response)).catch(ignore);
      return answer;
    },
  });
  view.fetch = hooked;
  return () => {
    if (view.fetch === hooked) view.fetch = original;
  };
}

function methodOf(input: RequestInfo | URL, init?: RequestInit): string {
  return (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
}

async function watch(view: View, response: Response): Promise<void> {
  const length = Number(response.headers.get("content-length") ?? 0);
  const wanted = isOwn(view, response.url) && JSON_TYPE.test(response.headers.get("content-type") ?? "");
  if (!wanted || length > RESPONSE_MAX || response.bodyUsed || response.body === null) return;
  const text = await readBounded(response.clone());
  if (text !== null) reportResponse(view, { url: response.url, status: response.status, text });
}

/** Reads a copy to its end; null when it is too long, too slow or breaks. */
async function readBounded(copy: Response): Promise<string | null> {
  const reader = copy.body?.getReader();
  if (reader === undefined) return null;
  const decoder = new TextDecoder();
  const deadline = setTimeout(() => reader.cancel().catch(ignore), READ_MILLISECONDS);
  let text = "";
  let finished = false;
  try {
    while (!finished && text.length <= RESPONSE_MAX) {
      const { done, value } = await reader.read();
      finished = done;
      text += value === undefined ? decoder.decode() : decoder.decode(value, { stream: true });
    }
    return finished && text.length <= RESPONSE_MAX ? text : null;
  } finally {
    clearTimeout(deadline);
    if (!finished) reader.cancel().catch(ignore);
  }
}

function hookXhr(view: View): (() => void)[] {
  const proto = view.XMLHttpRequest.prototype;
  const { open, send } = proto;
  const reads = new WeakSet<object>();
  proto.open = new Proxy(open, {
    apply: (target, self: XMLHttpRequest, args: Parameters<typeof open>) => {
      if (String(args[0]).toUpperCase() === "GET") reads.add(self);
      else reads.delete(self);
      return Reflect.apply(target, self, args);
    },
  });
  proto.send = new Proxy(send, {
    apply: (target, self: XMLHttpRequest, args: Parameters<typeof send>) => {
      if (reads.has(self)) self.addEventListener("load", () => look(view, self), { once: true });
      return Reflect.apply(target, self, args);
    },
  });
  const hooked = { open: proto.open, send: proto.send };
  return [
    () => {
      if (proto.open === hooked.open) proto.open = open;
    },
    () => {
      if (proto.send === hooked.send) proto.send = send;
    },
  ];
}

function look(view: View, request: XMLHttpRequest): void {
  const length = Number(request.getResponseHeader("content-length") ?? 0);
  const wanted = isOwn(view, request.responseURL) && JSON_TYPE.test(request.getResponseHeader("content-type") ?? "");
  if (!wanted || length > RESPONSE_MAX) return;
  const text = textOf(request);
  if (text !== null) reportResponse(view, { url: request.responseURL, status: request.status, text });
}

function textOf(request: XMLHttpRequest): string | null {
  if (request.responseType === "json") return boundedJson(request.response);
  if (request.responseType !== "" && request.responseType !== "text") return null;
  return request.responseText;
}

/** JSON of a value the page has already parsed; null as soon as it grows too long. */
function boundedJson(value: unknown): string | null {
  let left = RESPONSE_MAX;
  try {
    return JSON.stringify(value, (key, item: unknown) => {
      left -= key.length + (typeof item === "string" ? item.length : 4);
      if (left < 0) throw new RangeError("response too long");
      return item;
    });
  } catch {
    return null;
  }
}

function isOwn(view: View, url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === view.location.origin;
}

function reportResponse(view: View, found: { url: string; status: number; text: string }): void {
  if (found.text.length <= RESPONSE_MAX) report(view, { mark: HOOK_MARK, kind: "response", ...found });
}

function report(view: View, message: HookMessage): void {
  view.postMessage(message, view.location.origin === "null" ? "*" : view.location.origin);
}

function ignore(): void {
  // What happens to the copy is no concern of the page.
}
