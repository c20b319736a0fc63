import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import bridge from "../../../contract/schema/bridge-1.json";
import { FakeChrome } from "../shared/testing/fake-chrome";
import { FakeSocket } from "../shared/testing/fake-socket";
import type { Client } from "./client";
import type { Closed } from "./faults";
import { macOf } from "./mac";
import type { Pairing } from "./pairing";
import { openSocket } from "./socket-transport";
import type { Transport } from "./transport";

const ORIGIN = "chrome-extension://afjloophkcfkbnbojjbmdlhibaikjmld";
const SECRET = "ab".repeat(32);
const NONCE_S = "cd".repeat(32);
const ack = bridge.examples.valid.hello_ack;
const client: Client = {
  client: { name: "sidewire-extension", version: "0.1.0" },
  contractVersion: "2.1.0",
  instance: "11111111-2222-4333-8444-555555555555",
  browserRun: "99999999-2222-4333-8444-555555555555",
  ephemeral: false,
};

/** A socket under way and what became of it. */
class Dialled {
  readonly transport: Transport;
  readonly socket: FakeSocket;
  readonly closed: Closed[] = [];
  readonly saved: Pairing[] = [];
  readonly frames: string[] = [];
  ready = 0;
  garbled = 0;

  constructor(pairing: Pairing = { port: 19_222, keyId: "key-abcdefgh12345678", secret: SECRET }) {
    const paired = async (lasting: Pairing): Promise<void> => void this.saved.push(lasting);
    this.transport = openSocket(
      { pairing, client, paired },
      {
        ready: () => {
          this.ready += 1;
        },
        frame: (frame) => this.frames.push(frame.type),
        garbled: () => {
          this.garbled += 1;
        },
        closed: (closed) => this.closed.push(closed),
      },
    );
    const socket = FakeSocket.opened.at(-1);
    if (socket === undefined) throw new Error("no socket was opened");
    this.socket = socket;
  }

  get hello(): { keyId: string; nonceC: string } {
    return Object(this.socket.sent[0]);
  }

  async challenge(label = "sidewire bridge 1 server", port = 19_222): Promise<void> {
    const { keyId, nonceC } = this.hello;
    const macS = await macOf(SECRET, [label, nonceC, NONCE_S, `127.0.0.1:${port}`, ORIGIN, keyId]);
    this.socket.receive({ type: "challenge", nonceS: NONCE_S, macS });
  }

  async connect(): Promise<this> {
    this.socket.accept();
    await this.challenge();
    await vi.waitFor(() => expect(this.socket.sent).toHaveLength(2));
    this.socket.receive(ack);
    await vi.waitFor(() => expect(this.ready).toBe(1));
    return this;
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.stubGlobal("chrome", new FakeChrome());
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.opened = [];
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the mutual challenge", () => {
  it("dials this machine and no other, and proves itself bound to the dialled port", async () => {
    const dialled = await new Dialled().connect();
    expect(dialled.socket.url).toBe("ws://127.0.0.1:19222/bridge");
    const { keyId, nonceC } = dialled.hello;
    const fields = ["sidewire bridge 1 client", nonceC, NONCE_S, "127.0.0.1:19222", ORIGIN, keyId];
    expect(dialled.socket.sent[1]).toEqual({
      type: "proof",
      macC: await macOf(SECRET, fields),
      role: "browser",
      ...client,
    });
  });

  it("S18: tells nothing of a person before the worker has proved itself", async () => {
    for (const impostor of [
      (dialled: Dialled) => dialled.socket.receive({ type: "challenge", nonceS: NONCE_S, macS: "00".repeat(32) }),
      // A relay on our port that asks the real worker on another one.
      (dialled: Dialled) => dialled.challenge("sidewire bridge 1 server", 19_223),
      // Our own proof, reflected.
      (dialled: Dialled) => dialled.challenge("sidewire bridge 1 client"),
      (dialled: Dialled) => dialled.socket.receive(ack),
      (dialled: Dialled) => dialled.socket.receive("{"),
    ]) {
      const dialled = new Dialled();
      dialled.socket.accept();
      await impostor(dialled);
      await vi.waitFor(() => expect(dialled.closed).toMatchObject([{ fault: "handshake-failed" }]));
      expect(dialled.socket.sent).toEqual([
        { type: "hello", bridge: 1, keyId: "key-abcdefgh12345678", nonceC: dialled.hello.nonceC },
      ]);
      expect(JSON.stringify(dialled.socket.sent)).not.toContain(client.instance);
      expect(dialled.transport.send({ type: "ping" })).toBe(false);
    }
  });

  it("S19: uses a nonce once", async () => {
    const [one, two] = [await new Dialled().connect(), await new Dialled().connect()];
    expect(one.hello.nonceC).not.toBe(two.hello.nonceC);
  });

  it("swaps a pairing string's secret for a lasting one that never crosses the wire", async () => {
    const dialled = new Dialled({ port: 19_222, keyId: "pair-abcd1234", secret: SECRET });
    dialled.socket.accept();
    await dialled.challenge();
    await vi.waitFor(() => expect(dialled.socket.sent).toHaveLength(2));
    dialled.socket.receive(bridge.examples.valid.hello_ack_paired);
    await vi.waitFor(() => expect(dialled.ready).toBe(1));
    const fields = ["sidewire bridge 1 pairing", dialled.hello.nonceC, NONCE_S, client.instance];
    const secret = await macOf(SECRET, fields);
    expect(dialled.saved).toEqual([{ port: 19_222, keyId: "key-abcdefgh12345678", secret }]);
    expect(JSON.stringify(dialled.socket.sent)).not.toContain(secret);
  });

  it("gives up after 5 s", async () => {
    const dialled = new Dialled();
    dialled.socket.accept();
    vi.advanceTimersByTime(5_000);
    expect(dialled.closed).toEqual([{ fault: "handshake-failed" }]);
    expect(dialled.socket.closedWith).toBe(1000);
  });

  it("tells a closed port from a refused key", () => {
    const [nobody, refused] = [new Dialled(), new Dialled()];
    nobody.socket.drop();
    refused.socket.accept();
    refused.socket.drop();
    expect(nobody.closed).toEqual([{ fault: "worker-unreachable" }]);
    expect(refused.closed).toEqual([{ fault: "handshake-failed" }]);
  });
});

describe("an open socket", () => {
  it("keeps the order of frames that came while the handshake was computed", async () => {
    const dialled = new Dialled();
    dialled.socket.accept();
    await dialled.challenge();
    await vi.waitFor(() => expect(dialled.socket.sent).toHaveLength(2));
    dialled.socket.receive(ack);
    dialled.socket.receive({ type: "turn_unknown", id: "c-1" });
    dialled.socket.receive({ type: "ping" });
    await vi.waitFor(() => expect(dialled.frames).toEqual(["turn_unknown", "ping"]));
  });

  it("N23: closes when what comes is not a worker's", async () => {
    const dialled = await new Dialled().connect();
    for (let i = 0; i < 15; i += 1) dialled.socket.receive("{");
    expect(dialled.closed).toEqual([]);
    expect(dialled.garbled).toBe(15);
    dialled.socket.receive("x".repeat(2_000_000));
    expect(dialled.closed).toEqual([{ fault: "worker-unreachable" }]);
  });

  it("reports its end once, and none when we closed it", async () => {
    const [lost, left] = [await new Dialled().connect(), await new Dialled().connect()];
    lost.socket.drop();
    lost.socket.drop();
    left.transport.close();
    left.socket.drop();
    expect(lost.closed).toHaveLength(1);
    expect(left.closed).toEqual([]);
  });

  it("remembers why the worker said it would close", async () => {
    const dialled = await new Dialled().connect();
    dialled.socket.receive({ type: "bridge_error", code: "shutting-down", message: "shutting down" });
    dialled.socket.drop();
    expect(dialled.closed).toEqual([{ fault: "shutting-down", detail: "shutting down" }]);
  });
});
