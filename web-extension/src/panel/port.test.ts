import { beforeEach, describe, expect, it, vi } from "vitest";
import type { PanelEvent, PanelMessage } from "../bridge/panel-port";
import { type FakePort, installFakeChrome } from "./gallery/fake-chrome";
import { bodyOf, PanelClient } from "./port";

let ports: FakePort[];
let received: PanelMessage[];
let events: PanelEvent[];
let life: AbortController;

beforeEach(() => {
  ports = [];
  received = [];
  events = [];
  life = new AbortController();
  vi.useFakeTimers();
  installFakeChrome({
    connected: (port) => ports.push(port),
    received: (message) => received.push(message),
    grantSites: true,
    local: {},
  });
  return () => {
    life.abort();
    vi.useRealTimers();
  };
});

async function connected(onLost: () => void = () => undefined): Promise<PanelClient> {
  const client = new PanelClient({
    windowId: 7,
    showing: () => undefined,
    onEvent: (event) => events.push(event),
    onOpen: () => undefined,
    onLost,
    signal: life.signal,
  });
  client.connect();
  await vi.advanceTimersByTimeAsync(0);
  return client;
}

const requestId = () => received.flatMap((message) => ("requestId" in message ? [message.requestId] : [])).at(-1) ?? "";

describe("the panel's port", () => {
  it("greets with its window and hands events on", async () => {
    await connected();
    ports[0]?.post({ kind: "alive", key: "k", turn: "c-1" });
    expect(received).toEqual([{ kind: "attach", windowId: 7 }]);
    expect(events).toEqual([{ kind: "alive", key: "k", turn: "c-1" }]);
  });

  it("pairs answers with requests", async () => {
    const client = await connected();
    const answer = client.request({ kind: "models" });
    await vi.advanceTimersByTimeAsync(0);
    ports[0]?.post({ kind: "refused", requestId: "other", code: "conflict", message: "" });
    ports[0]?.post({ kind: "reply", requestId: requestId(), body: { kind: "done" } });
    expect(bodyOf(await answer, "done")).toEqual({ kind: "done" });
    expect(bodyOf(await answer, "models")).toBeNull();
  });

  it("fails what waits when the port breaks, then comes back", async () => {
    const lost = vi.fn();
    const client = await connected(lost);
    const answer = client.request({ kind: "models" });
    ports[0]?.break();
    expect(await answer).toMatchObject({ ok: false, code: "not-connected" });
    expect(lost).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(100);
    expect(ports).toHaveLength(2);
    expect(received.filter(({ kind }) => kind === "attach")).toHaveLength(2);
  });

  it("connects at once when there is something to say", async () => {
    const client = await connected();
    ports[0]?.break();
    expect(client.send({ kind: "sync" })).toBe(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(received.map(({ kind }) => kind)).toEqual(["attach", "attach", "sync"]);
  });

  it("ends with its signal", async () => {
    const client = await connected();
    const answer = client.request({ kind: "models" });
    life.abort();
    expect(await answer).toMatchObject({ ok: false });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ports).toHaveLength(1);
    expect(client.send({ kind: "sync" })).toBe(false);
  });

  it("ignores what it does not know", async () => {
    await connected();
    const port: { post(event: unknown): void } | undefined = ports[0];
    port?.post({ kind: "brand-new" });
    port?.post("text");
    expect(events).toEqual([]);
  });
});
