import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import bridge from "../../../contract/schema/bridge-1.json";
import { FakeChrome } from "../shared/testing/fake-chrome";
import { FakeSocket } from "../shared/testing/fake-socket";
import { Backoff } from "./backoff";
import { loadClient } from "./client";
import { LinkKeeper } from "./link";
import type { Link } from "./panel-port";

const MISSING = "Specified native messaging host not found.";
const ack = bridge.examples.valid.hello_ack;

let fake: FakeChrome;
let links: Link[];
let events: string[];
let keeper: LinkKeeper;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(1);
  fake = new FakeChrome();
  vi.stubGlobal("chrome", fake);
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.opened = [];
  [links, events] = [[], []];
  keeper = new LinkKeeper(loadClient, {
    changed: (link) => links.push(link),
    ready: () => events.push("ready"),
    lost: (unresponsive) => events.push(unresponsive ? "unresponsive" : "lost"),
    failed: () => events.push("failed"),
    frame: (frame) => events.push(frame.type),
    garbled: () => undefined,
  });
});

afterEach(() => {
  vi.useRealTimers();
});

async function dialled(ports: number): Promise<void> {
  await vi.waitFor(() => expect(fake.nativePorts).toHaveLength(ports));
}

async function connect(): Promise<void> {
  const before = fake.nativePorts.length;
  keeper.need();
  await dialled(before + 1);
  fake.native.receive(ack);
  await vi.advanceTimersByTimeAsync(0);
}

describe("the connection", () => {
  it("is made when somebody needs it, and once however many do", async () => {
    expect(fake.nativePorts).toHaveLength(0);
    keeper.need();
    keeper.need();
    await dialled(1);
    fake.native.receive(ack);
    keeper.need();
    expect(keeper.link).toMatchObject({ state: "ready", transport: "native", workerVersion: "0.1.0" });
    expect(events).toEqual(["ready"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fake.nativePorts).toHaveLength(1);
  });

  it("says whether the worker took the page tools, each time anew", async () => {
    await connect();
    fake.native.receive({ type: "set_host_tools_ack", toolNames: [] });
    const before = links.length;
    fake.native.receive({ type: "set_host_tools_error", reason: "host-tools-rejected" });
    fake.native.receive({ type: "set_host_tools_error", reason: "host-tools-rejected" });
    expect(links.slice(before)).toMatchObject([{ state: "ready", toolsRefused: true }]);
    fake.native.receive({ type: "set_host_tools_ack", toolNames: [] });
    expect(keeper.link).not.toHaveProperty("toolsRefused");
    expect(events).toEqual(["ready"]);
  });

  it("answers the worker's ping and keeps it to itself", async () => {
    await connect();
    fake.native.receive({ type: "ping" });
    fake.native.receive({ type: "pong" });
    expect(fake.native.last("pong")).toEqual({ type: "pong" });
    expect(events).toEqual(["ready"]);
  });

  it("shows a fault and waits longer each time: 0.5 s to 30 s, never a storm", async () => {
    keeper.need();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      await dialled(attempt);
      fake.breakNative(MISSING);
      await vi.advanceTimersByTimeAsync(0);
      const from = Date.now();
      await vi.advanceTimersToNextTimerAsync();
      waits.push(Date.now() - from);
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(keeper.link).toMatchObject({ state: "down", fault: "host-missing" });
  });

  it("tries at once when somebody needs it while it waits", async () => {
    keeper.need();
    await dialled(1);
    fake.breakNative(MISSING);
    await vi.advanceTimersByTimeAsync(0);
    keeper.need();
    await dialled(2);
  });

  it("comes back after a break, and does not storm when it breaks at once", async () => {
    await connect();
    fake.breakNative("Native host has exited.");
    expect(keeper.link).toMatchObject({ state: "reconnecting", nextTryAt: Date.now() + 500 });
    expect(events).toEqual(["ready", "lost"]);
    await vi.advanceTimersByTimeAsync(500);
    await dialled(2);
    fake.native.receive(ack);
    await vi.advanceTimersByTimeAsync(0);
    fake.breakNative("Native host has exited.");
    await vi.advanceTimersByTimeAsync(999);
    expect(fake.nativePorts).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    await dialled(3);
  });

  it("N12: is judged by its own silence: ping after 45 s, dead 10 s later", async () => {
    await connect();
    await vi.advanceTimersByTimeAsync(44_000);
    fake.native.receive({ type: "ping" });
    await vi.advanceTimersByTimeAsync(44_999);
    expect(fake.native.last("ping")).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1_001);
    expect(fake.native.last("ping")).toEqual({ type: "ping" });
    fake.native.receive({ type: "pong" });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(keeper.isReady).toBe(true);
    await vi.advanceTimersByTimeAsync(56_000);
    expect(events).toContain("unresponsive");
    expect(fake.nativePorts[0]?.open).toBe(false);
  });

  it("is given up a minute after nobody needs it any more", async () => {
    await connect();
    keeper.release();
    await vi.advanceTimersByTimeAsync(30_000);
    fake.native.receive({ type: "ping" });
    await vi.advanceTimersByTimeAsync(29_000);
    expect(fake.native.open).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fake.native.open).toBe(false);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(fake.nativePorts).toHaveLength(1);
  });

  it("refuses a worker of another contract", async () => {
    keeper.need();
    await dialled(1);
    fake.native.receive({ ...ack, contractVersion: "3.0.0" });
    await vi.advanceTimersByTimeAsync(0);
    expect(keeper.link).toMatchObject({ state: "down", fault: "version-mismatch" });
    expect(fake.native.open).toBe(false);
  });

  it("follows a change of model", async () => {
    await connect();
    const model = { provider: "openai", model: "m", label: "m", offline: false };
    fake.native.receive({ type: "model_changed", model });
    expect(keeper.link).toMatchObject({ state: "ready", model });
  });
});

describe("without a native host", () => {
  const pairing = { port: 19_230, keyId: "key-abcdefgh12345678", secret: "ab".repeat(32) };

  it("dials the paired worker", async () => {
    await fake.storage.local.set({ pairing });
    keeper.need();
    await dialled(1);
    fake.breakNative(MISSING);
    await vi.waitFor(() => expect(FakeSocket.opened).toHaveLength(1));
    expect(FakeSocket.opened[0]?.url).toBe("ws://127.0.0.1:19230/bridge");
  });

  it("looks on the other ports of the range, at most once a minute", async () => {
    await fake.storage.local.set({ pairing });
    keeper.need();
    await dialled(1);
    fake.breakNative(MISSING);
    for (let opened = 1; opened <= 20; opened += 1) {
      await vi.waitFor(() => expect(FakeSocket.opened).toHaveLength(opened));
      FakeSocket.opened.at(-1)?.drop();
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(new Set(FakeSocket.opened.map((socket) => socket.url)).size).toBe(20);
    expect(keeper.link).toMatchObject({ state: "down", fault: "worker-unreachable" });
    await vi.advanceTimersByTimeAsync(500);
    await dialled(2);
    fake.breakNative(MISSING);
    await vi.waitFor(() => expect(FakeSocket.opened).toHaveLength(21));
    FakeSocket.opened.at(-1)?.drop();
    await vi.advanceTimersByTimeAsync(100);
    expect(FakeSocket.opened).toHaveLength(21);
  });

  it("opens no socket when it was never paired", async () => {
    keeper.need();
    await dialled(1);
    fake.breakNative(MISSING);
    await vi.advanceTimersByTimeAsync(10);
    expect(FakeSocket.opened).toHaveLength(0);
  });
});

describe("back-off", () => {
  it("waits between half of the step and the whole of it", () => {
    expect(new Backoff(() => 0).next()).toBe(250);
    expect(new Backoff(() => 0.999).next()).toBe(500);
  });

  it("starts over only after a connection that lasted, or when a person asks", () => {
    const backoff = new Backoff(() => 1);
    expect([backoff.next(), backoff.next()]).toEqual([500, 1_000]);
    backoff.ended(9_999);
    expect(backoff.next()).toBe(2_000);
    backoff.ended(10_000);
    expect(backoff.next()).toBe(500);
    backoff.next();
    backoff.reset();
    expect(backoff.next()).toBe(500);
  });
});
