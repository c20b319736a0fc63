import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import bridge from "../../../contract/schema/bridge-1.json";
import { FakeChrome } from "../shared/testing/fake-chrome";
import type { Client } from "./client";
import type { Closed } from "./faults";
import { openNative } from "./native-transport";
import type { Transport } from "./transport";

const client: Client = {
  client: { name: "sidewire-extension", version: "0.1.0" },
  contractVersion: "2.1.0",
  instance: "11111111-2222-4333-8444-555555555555",
  browserRun: "99999999-2222-4333-8444-555555555555",
};

let fake: FakeChrome;
let closed: Closed[];
let frames: string[];
let ready: number;

function open(): Transport {
  return openNative(client, {
    ready: () => {
      ready += 1;
    },
    frame: (frame) => frames.push(frame.type),
    garbled: () => undefined,
    closed: (end) => closed.push(end),
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  fake = new FakeChrome();
  vi.stubGlobal("chrome", fake);
  [closed, frames, ready] = [[], [], 0];
});

afterEach(() => {
  vi.useRealTimers();
});

describe("native messaging", () => {
  it("says who we are and is ready with the worker's answer", () => {
    open();
    expect(fake.native.name).toBe("dev.sidewire.host");
    expect(fake.native.posted).toEqual([{ type: "client_info", ...client }]);
    fake.native.receive(bridge.examples.valid.hello_ack);
    fake.native.receive({ type: "turn_unknown", id: "c-1" });
    expect([ready, frames]).toEqual([1, ["turn_unknown"]]);
  });

  it("N22: reads why the browser closed the port", () => {
    const table = [
      ["Specified native messaging host not found.", "host-missing"],
      ["Access to the specified native messaging host is forbidden.", "host-forbidden"],
      ["Invalid native messaging host name specified.", "host-missing"],
      ["Native host has exited.", "host-exited"],
      ["Error when communicating with the native messaging host.", "host-protocol"],
      ["Something a later browser says.", "host-protocol"],
    ] as const;
    for (const [message, fault] of table) {
      open();
      fake.breakNative(message);
      expect(closed.at(-1)).toEqual({ fault, detail: message });
    }
    expect(closed).toHaveLength(table.length);
  });

  it("prefers what the host said to what the browser says about its exit", () => {
    open();
    fake.native.receive(bridge.examples.valid.bridge_error);
    fake.breakNative("Native host has exited.");
    expect(closed).toEqual([{ fault: "worker-not-started", detail: "failed to start the worker" }]);
  });

  it("does not take a complaint about one frame for the end", () => {
    open();
    fake.native.receive(bridge.examples.valid.hello_ack);
    fake.native.receive({ type: "bridge_error", code: "frame-too-large", message: "frame too large" });
    fake.breakNative("Native host has exited.");
    expect(closed).toMatchObject([{ fault: "host-exited" }]);
  });

  it("does not wait for ever for a host that says nothing", () => {
    open();
    vi.advanceTimersByTime(20_000);
    expect(closed).toEqual([{ fault: "worker-unreachable" }]);
    expect(fake.native.open).toBe(false);
  });

  it("N23: drops a host that talks rubbish", () => {
    open();
    for (let i = 0; i < 16; i += 1) fake.native.receive({ id: "nonsense" });
    expect(closed).toEqual([{ fault: "host-protocol" }]);
  });

  it("stays with a worker that knows more kinds of frames than we do", () => {
    open();
    fake.native.receive(bridge.examples.valid.hello_ack);
    for (let i = 0; i < 40; i += 1) fake.native.receive({ type: i % 2 === 0 ? "from_the_future" : "chat_delta" });
    expect(closed).toEqual([]);
  });

  it("says that a frame could not be sent instead of throwing", () => {
    const transport = open();
    fake.native.open = false;
    expect(transport.send({ type: "ping" })).toBe(false);
  });
});
