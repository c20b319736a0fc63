// @vitest-environment jsdom
import { afterEach, expect, it, vi } from "vitest";
import { installHook } from "./hook";
import type { HookMessage } from "./hook-message";
import { isHookMessage, RESPONSE_MAX } from "./hook-message";

const json = { "content-type": "application/json; charset=utf-8" };
let uninstall = () => {};
afterEach(() => uninstall());

/** Installs the hook over a fetch that answers with `response`; gives what it reports. */
function hooked(response: () => Response): { reports: HookMessage[]; fetch: typeof fetch } {
  const reports: HookMessage[] = [];
  const answer = vi.fn(async () => response());
  vi.stubGlobal("fetch", answer);
  vi.spyOn(window, "postMessage").mockImplementation((message: unknown) => {
    if (isHookMessage(message)) reports.push(message);
  });
  uninstall = installHook(window);
  return { reports, fetch: window.fetch };
}

function answered(body: BodyInit | null, url: string, headers: HeadersInit = json): Response {
  const response = new Response(body, { headers });
  Object.defineProperty(response, "url", { value: url });
  const { clone } = response;
  response.clone = () => clone.call(response);
  return response;
}

const own = (path: string) => `${location.origin}${path}`;

it("says that it is there and reports a JSON response, while the page reads its own", async () => {
  const { reports, fetch } = hooked(() => answered('{"a":1}', own("/api/x")));
  const response = await fetch(own("/api/x"));
  expect(await response.json()).toEqual({ a: 1 });
  await vi.waitFor(() => expect(reports).toHaveLength(2));
  expect(reports[0]).toMatchObject({ kind: "ready" });
  expect(reports[1]).toMatchObject({ kind: "response", url: own("/api/x"), status: 200, text: '{"a":1}' });
});

it.each([
  ["another origin", () => answered("{}", "https://other.example/x")],
  ["no JSON", () => answered("{}", own("/x"), { "content-type": "text/html" })],
  ["a stream of events", () => answered("{}", own("/x"), { "content-type": "text/event-stream" })],
  ["too long by its header", () => answered("{}", own("/x"), { ...json, "content-length": String(RESPONSE_MAX + 1) })],
  ["too long in fact", () => answered(JSON.stringify("x".repeat(RESPONSE_MAX)), own("/x"))],
])("leaves alone: %s", async (_, response) => {
  const { reports, fetch } = hooked(response);
  await (await fetch(own("/x"))).text();
  await new Promise((resolve) => setImmediate(resolve));
  expect(reports).toHaveLength(1);
});

it("hands over a response that never ends without waiting for it", async () => {
  const endless = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) });
  const { reports, fetch } = hooked(() => answered(endless, own("/x")));
  const response = await fetch(own("/x"));
  expect(response.status).toBe(200);
  expect(reports).toHaveLength(1);
});

it("does not look at requests that change something, and passes failures through", async () => {
  const { reports, fetch } = hooked(() => answered("{}", own("/x")));
  await fetch(own("/x"), { method: "POST" });
  await new Promise((resolve) => setImmediate(resolve));
  expect(reports).toHaveLength(1);
  uninstall();
  const failing = hooked(() => {
    throw new TypeError("offline");
  });
  await expect(failing.fetch(own("/x"))).rejects.toThrow("offline");
});

it("goes without a trace", () => {
  const { open, send } = XMLHttpRequest.prototype;
  const { fetch: replaced } = hooked(() => answered("{}", own("/x")));
  expect(XMLHttpRequest.prototype.open).not.toBe(open);
  uninstall();
  expect(window.fetch).not.toBe(replaced);
  expect(XMLHttpRequest.prototype.open).toBe(open);
  expect(XMLHttpRequest.prototype.send).toBe(send);
});
