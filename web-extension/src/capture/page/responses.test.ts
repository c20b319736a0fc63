import { beforeEach, describe, expect, it } from "vitest";
import { HOOK_MARK, isHookMessage, RESPONSE_MAX } from "./hook-message";
import { Responses } from "./responses";

const ORIGIN = "https://acme.console.example";
const LB1 = "/web/namespaces/default/http_loadbalancers/lb1";
const LB2 = "/web/namespaces/default/http_loadbalancers/lb2";
const api = (name: string) => `${ORIGIN}/api/config/namespaces/default/http_loadbalancers/${name}`;

let responses: Responses;
beforeEach(() => {
  responses = new Responses(ORIGIN, LB1);
});

function seen(url: string, body: unknown, at: { page?: string; now?: number; status?: number } = {}): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const message = { mark: HOOK_MARK, kind: "response", url, status: at.status ?? 200, text } as const;
  expect(isHookMessage(message)).toBe(true);
  responses.note(message, at.page ?? LB1, at.now ?? 0);
}

describe("which response is the resource", () => {
  it("is the one the page names, with its secrets and its query hidden", () => {
    seen(api("lb1?token=abc&view=full"), { metadata: { name: "lb1" }, apiKey: "canary" });
    seen(`${ORIGIN}/api/config/namespaces/default/origin_pools/pool1`, { big: "x".repeat(5000) });
    expect(responses.resource(LB1, 1)).toEqual({
      url: "/api/config/namespaces/default/http_loadbalancers/lb1?token=[redacted]&view=full",
      status: 200,
      resourceType: "http_loadbalancers",
      body: { metadata: { name: "lb1" }, apiKey: "[redacted]" },
      truncated: false,
    });
  });

  it("is the latest answer for the same address", () => {
    seen(api("lb1"), { v: 1 });
    seen(api("lb1"), { v: 2 });
    expect(responses.resource(LB1, 1)?.body).toEqual({ v: 2 });
  });

  it("falls back to the largest response of the page, never to another resource or an error", () => {
    seen(`${ORIGIN}/v1/small`, { a: 1 });
    seen(`${ORIGIN}/v1/large`, { a: "x".repeat(100) });
    seen(`${ORIGIN}/v1/error`, { a: "x".repeat(1000) }, { status: 500 });
    seen(api("lb9"), { a: "x".repeat(1000) });
    expect(responses.resource(LB1, 1)?.url).toBe("/v1/large");
  });

  it("skips what is not JSON", () => {
    seen(`${ORIGIN}/v1/good`, { a: 1 });
    seen(api("lb1"), "{broken");
    expect(responses.resource(LB1, 1)?.url).toBe("/v1/good");
  });
});

describe("N15: a response belongs to the page it was seen on", () => {
  it("goes when the path changes, and does not come back with it", () => {
    seen(api("lb1"), { v: 1 });
    expect(responses.resource(LB2, 1)).toBeNull();
    expect(responses.resource(LB1, 2)).toBeNull();
  });

  it("stays when it was fetched for the new path a moment before", () => {
    seen(api("lb2"), { v: 2 }, { now: 1000 });
    expect(responses.resource(LB2, 2000)?.body).toEqual({ v: 2 });
  });

  it("goes when it was fetched long before", () => {
    seen(api("lb2"), { v: 2 }, { now: 1000 });
    expect(responses.resource(LB2, 7000)).toBeNull();
  });
});

describe("S23: a forged message", () => {
  it("cannot name another origin, a strange status or grow without bound", () => {
    seen("https://other.example/api/config/namespaces/default/http_loadbalancers/lb1", { evil: 1 });
    seen("not a url", { evil: 1 });
    seen(api("lb1"), { evil: 1 }, { status: 9999 });
    expect(responses.resource(LB1, 1)).toBeNull();
    for (let index = 0; index < 200; index += 1) seen(`${ORIGIN}/v1/${index}`, { a: "x".repeat(200_000) });
    seen(api("lb1"), { ok: 1 });
    expect(responses.resource(LB1, 1)?.body).toEqual({ ok: 1 });
    const body = JSON.stringify(responses.resource(LB1, 1));
    expect(body.length).toBeLessThan(60_000);
  });

  it.each([
    null,
    "text",
    {},
    { mark: "other", kind: "ready" },
    { mark: HOOK_MARK },
    { mark: HOOK_MARK, kind: "response", url: "/", status: "200", text: "" },
    { mark: HOOK_MARK, kind: "response", url: "x".repeat(9000), status: 200, text: "" },
    { mark: HOOK_MARK, kind: "response", url: "/", status: 200, text: "x".repeat(RESPONSE_MAX + 1) },
  ])("is refused by its form: %#", (value) => expect(isHookMessage(value)).toBe(false));
});
