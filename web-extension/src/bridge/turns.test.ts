import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BrowserFrame, ChatRequest } from "../contract/types";
import { FakeChrome } from "../shared/testing/fake-chrome";
import type { TurnView } from "./panel-port";
import type { TurnFrame } from "./turn";
import { Turns } from "./turns";

const ID = "c-1";
const request: ChatRequest = {
  type: "chat_request",
  id: ID,
  text: "What is this?",
  context: null,
  mode: "educational",
  tabId: 7,
  sessionKey: "example-corp|production",
};

/** Turns with a connection and a panel that a test plays. */
class Stage {
  connected = true;
  nextTryAt: number | undefined;
  readonly sent: BrowserFrame[] = [];
  readonly views: TurnView[] = [];
  readonly texts: string[] = [];
  readonly ended: string[] = [];
  settled = 0;
  readonly turns = new Turns({
    connected: () => this.connected,
    nextTryAt: () => this.nextTryAt,
    send: (frame) => {
      if (this.connected) this.sent.push(frame);
      return this.connected;
    },
    changed: (_conversation, view) => this.views.push(view),
    text: (_conversation, _view, { text }) => this.texts.push(text),
    alive: () => undefined,
    ended: (turn) => this.ended.push(turn),
    settled: () => {
      this.settled += 1;
    },
  });

  get view(): TurnView | undefined {
    return this.views.at(-1);
  }

  types(): string[] {
    return this.sent.map((frame) => frame.type);
  }

  delta(seq: number, delta: string): void {
    this.turns.frame({ type: "chat_delta", id: ID, seq, delta });
  }

  lose(unresponsive = false): void {
    this.connected = false;
    this.turns.linkLost(unresponsive);
  }

  regain(): void {
    this.connected = true;
    this.turns.linkReady();
  }
}

function snapshot(state: TurnView["state"], text: string, nextSeq: number): TurnFrame {
  const { mode, text: prompt } = request;
  const empty = { tools: [], references: [], media: [], notices: [] };
  return {
    type: "turn_snapshot",
    conversation: "11111111-2222-4333-8444-555555555555",
    nextSeq,
    turn: { id: ID, prompt, mode, startedAt: 1, state, text, ...empty },
  };
}

let fake: FakeChrome;

beforeEach(() => {
  vi.useFakeTimers();
  fake = new FakeChrome();
  vi.stubGlobal("chrome", fake);
});

afterEach(() => {
  vi.useRealTimers();
});

async function running(): Promise<Stage> {
  const stage = new Stage();
  await stage.turns.start("k", request);
  return stage;
}

describe("a question", () => {
  it("is written down before it is sent, and forgotten when it is answered", async () => {
    const stage = new Stage();
    const start = stage.turns.start("k", request);
    expect(stage.sent).toEqual([]);
    await start;
    expect(fake.storage.session.values.has(`turn:${ID}`)).toBe(true);
    expect(stage.sent).toEqual([request]);
    expect(stage.views[0]).toMatchObject({ state: "running", pending: true, prompt: "What is this?" });
    stage.turns.frame({ type: "chat_done", id: ID });
    await vi.waitFor(() => expect(fake.storage.session.values.has(`turn:${ID}`)).toBe(false));
    expect(stage.turns.size).toBe(0);
  });

  it("is asked even when the session storage is full", async () => {
    fake.storage.session.broken = true;
    expect((await running()).sent).toEqual([request]);
  });

  it("that could not be sent is sent, once, as soon as there is a connection", async () => {
    const stage = new Stage();
    stage.connected = false;
    await stage.turns.start("k", request);
    stage.nextTryAt = 7;
    stage.turns.linkFailed();
    const waiting = { state: "failed", reason: "no-worker", resending: true, pending: true };
    expect(stage.view).toMatchObject({ ...waiting, retryAt: 7 });
    stage.nextTryAt = 8;
    stage.turns.linkFailed();
    expect(stage.view).toMatchObject({ ...waiting, retryAt: 8 });
    stage.regain();
    await vi.waitFor(() => expect(stage.sent).toEqual([request]));
    expect(stage.view).toMatchObject({ state: "running" });
  });

  it("is not sent by itself long after the person has moved on", async () => {
    const stage = new Stage();
    stage.connected = false;
    await stage.turns.start("k", request);
    stage.turns.linkFailed();
    await vi.advanceTimersByTimeAsync(126_000);
    expect(stage.view).toMatchObject({ state: "failed", reason: "no-worker" });
    expect(stage.view?.resending).toBeUndefined();
    stage.regain();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stage.sent).toEqual([]);
  });
});

describe("a broken connection", () => {
  it("is followed by resume, and a snapshot replaces what was shown", async () => {
    const stage = await running();
    stage.delta(0, "A");
    stage.lose();
    stage.regain();
    expect(stage.sent.at(-1)).toEqual({ type: "resume", turns: [ID] });
    stage.turns.frame(snapshot("running", "ABC", 3));
    stage.delta(2, "C");
    stage.delta(3, "D");
    expect(stage.view?.text).toBe("ABC");
    expect(stage.texts).toEqual(["A", "D"]);
  });

  it("sends a turn again with the same id only after the worker said that it does not know it", async () => {
    const stage = await running();
    stage.delta(0, "A");
    stage.lose();
    stage.regain();
    expect(stage.types()).toEqual(["chat_request", "resume"]);
    stage.turns.unknown({ type: "turn_unknown", id: ID });
    await vi.waitFor(() => expect(stage.types()).toEqual(["chat_request", "resume", "chat_request"]));
    expect(stage.sent.at(-1)).toEqual(request);
    expect(stage.view).toMatchObject({ state: "running", text: "", resending: true });
    stage.turns.unknown({ type: "turn_unknown", id: ID });
    expect(stage.view).toMatchObject({ state: "failed", reason: "bridge-disconnected" });
    expect(stage.types().filter((type) => type === "chat_request")).toHaveLength(2);
  });

  it("N9, N10: ends its turns when the worker's grace is over, and can still save them", async () => {
    const stage = await running();
    stage.delta(0, "A");
    stage.lose();
    await vi.advanceTimersByTimeAsync(25_000);
    expect(stage.view?.state).not.toBe("failed");
    await vi.advanceTimersByTimeAsync(11_000);
    expect(stage.view).toMatchObject({ state: "failed", reason: "bridge-disconnected", text: "A" });
    stage.regain();
    stage.turns.frame(snapshot("done", "AB", 2));
    expect(stage.view).toMatchObject({ state: "done", text: "AB" });
    expect(stage.turns.size).toBe(0);
  });

  it("is named unresponsive when nothing came any more", async () => {
    const stage = await running();
    stage.lose(true);
    await vi.advanceTimersByTimeAsync(36_000);
    expect(stage.view).toMatchObject({ state: "failed", reason: "bridge-unresponsive" });
  });

  it("resumes at most 64 turns in one frame", async () => {
    const stage = new Stage();
    for (let i = 0; i < 70; i += 1) await stage.turns.start("k", { ...request, id: `c-${i}` });
    stage.lose();
    stage.regain();
    const resumes = stage.sent.flatMap((frame) => (frame.type === "resume" ? [frame.turns.length] : []));
    expect(resumes).toEqual([64, 6]);
  });
});

describe("a dead service worker", () => {
  it("leaves turns that the next one resumes", async () => {
    await running();
    const next = new Stage();
    next.connected = false;
    await next.turns.restore();
    expect(next.view).toMatchObject({ id: ID, prompt: "What is this?", state: "running" });
    next.regain();
    expect(next.sent).toEqual([{ type: "resume", turns: [ID] }]);
  });

  it("leaves no question that is sent by itself long after", async () => {
    const first = new Stage();
    first.connected = false;
    await first.turns.start("k", request);
    vi.setSystemTime(Date.now() + 121_000);
    const next = new Stage();
    next.connected = false;
    await next.turns.restore();
    expect(next.view).toMatchObject({ state: "failed", reason: "no-worker" });
    next.regain();
    await vi.advanceTimersByTimeAsync(0);
    expect(next.sent).toEqual([]);
    expect(fake.storage.session.values.has(`turn:${ID}`)).toBe(false);
  });

  it("leaves an old turn that is resumed but not asked again", async () => {
    await running();
    vi.setSystemTime(Date.now() + 121_000);
    const next = new Stage();
    await next.turns.restore();
    next.turns.linkReady();
    next.turns.unknown({ type: "turn_unknown", id: ID });
    expect(next.view).toMatchObject({ state: "failed", reason: "bridge-disconnected" });
    expect(next.types()).toEqual(["resume"]);
  });

  it("leaves a stop of a turn that was only watched", async () => {
    const stage = new Stage();
    stage.turns.adopt("k", { ...Object(snapshot("running", "A", 1)).turn });
    stage.lose();
    stage.turns.stop(ID);
    await vi.advanceTimersByTimeAsync(0);
    const next = new Stage();
    await next.turns.restore();
    expect(next.turns.size).toBe(1);
    next.turns.linkReady();
    expect(next.sent).toEqual([{ type: "chat_stop", id: ID }]);
    expect(next.turns.size).toBe(0);
  });

  it("leaves a stop that the next one delivers", async () => {
    const stage = await running();
    stage.lose();
    stage.turns.stop(ID);
    expect(stage.view).toMatchObject({ state: "stopped" });
    await vi.advanceTimersByTimeAsync(0);
    const next = new Stage();
    next.connected = false;
    await next.turns.restore();
    next.regain();
    expect(next.sent).toEqual([{ type: "chat_stop", id: ID }]);
    expect(next.turns.size).toBe(0);
  });
});

describe("silence", () => {
  it("N11: of one turn is asked about, and a worker that does not answer has failed", async () => {
    const stage = await running();
    stage.delta(0, "A");
    await vi.advanceTimersByTimeAsync(126_000);
    expect(stage.sent.at(-1)).toEqual({ type: "resume", turns: [ID] });
    await vi.advanceTimersByTimeAsync(21_000);
    expect(stage.view).toMatchObject({ state: "failed", reason: "bridge-unresponsive", text: "A" });
  });

  it("is no silence while a thinking model keeps the turn alive", async () => {
    const stage = await running();
    for (let i = 0; i < 20; i += 1) {
      await vi.advanceTimersByTimeAsync(60_000);
      stage.turns.frame({ type: "chat_keepalive", id: ID });
    }
    expect(stage.types()).toEqual(["chat_request"]);
  });

  it("N4: a gap in the text asks for a snapshot once", async () => {
    const stage = await running();
    stage.delta(0, "A");
    stage.delta(2, "C");
    stage.delta(3, "D");
    expect(stage.types()).toEqual(["chat_request", "resume"]);
    expect(stage.texts).toEqual(["A"]);
    stage.turns.frame(snapshot("running", "ABCD", 4));
    stage.delta(4, "E");
    expect(stage.texts).toEqual(["A", "E"]);
  });
});

describe("a hole in the text", () => {
  it("N4: is not hidden by the end of the turn", async () => {
    const stage = await running();
    stage.delta(0, "A");
    stage.delta(2, "C");
    stage.turns.frame({ type: "chat_done", id: ID });
    expect(stage.turns.size).toBe(1);
    stage.turns.frame(snapshot("done", "ABC", 3));
    expect(stage.view).toMatchObject({ state: "done", text: "ABC" });
    expect(stage.turns.size).toBe(0);
  });

  it("is also one when a piece could not be read; a worker that does not fill it has failed", async () => {
    const stage = await running();
    stage.delta(0, "A");
    stage.turns.unreadableText(ID);
    expect(stage.sent.at(-1)).toEqual({ type: "resume", turns: [ID] });
    stage.turns.frame({ type: "chat_done", id: ID });
    await vi.advanceTimersByTimeAsync(21_000);
    expect(stage.view).toMatchObject({ state: "failed", reason: "bridge-unresponsive", text: "A" });
  });
});

describe("a refused frame", () => {
  it("asks about every running turn at once, and fails the one it was about", async () => {
    const stage = await running();
    await stage.turns.start("k", { ...request, id: "c-2" });
    stage.turns.frameRefused();
    expect(stage.sent.at(-1)).toEqual({ type: "resume", turns: [ID, "c-2"] });
    stage.turns.frame(snapshot("running", "A", 1));
    stage.turns.unknown({ type: "turn_unknown", id: "c-2" });
    expect(stage.view).toMatchObject({ id: "c-2", state: "failed" });
    expect(stage.types()).toEqual(["chat_request", "chat_request", "resume"]);
    expect(stage.turns.has(ID)).toBe(true);
  });
});

describe("stop", () => {
  it("N20, N21: tells the worker and ends the turn here at once; what comes later is ignored", async () => {
    const stage = await running();
    stage.delta(0, "A");
    stage.turns.stop(ID);
    expect(stage.sent.at(-1)).toEqual({ type: "chat_stop", id: ID });
    expect(stage.view).toMatchObject({ state: "stopped", text: "A" });
    expect(stage.turns.size).toBe(0);
    stage.delta(1, "B");
    stage.turns.frame({ type: "chat_done", id: ID });
    expect(stage.view).toMatchObject({ state: "stopped", text: "A" });
  });

  it("of a question that never left just ends it", async () => {
    const stage = new Stage();
    stage.connected = false;
    await stage.turns.start("k", request);
    stage.turns.stop(ID);
    stage.regain();
    expect(stage.sent).toEqual([]);
    expect(stage.view?.state).toBe("stopped");
  });
});

describe("an error from the worker", () => {
  it("with a reason that allows it is resumed first, then sent again once", async () => {
    const stage = await running();
    stage.turns.frame({ type: "chat_error", id: ID, reason: "session-disposed" });
    expect(stage.view).toMatchObject({ state: "failed", reason: "session-disposed", resending: true });
    stage.turns.unknown({ type: "turn_unknown", id: ID });
    await vi.waitFor(() => expect(stage.types()).toEqual(["chat_request", "resume", "chat_request"]));
    stage.turns.frame({ type: "chat_error", id: ID, reason: "session-disposed" });
    expect(stage.view).toMatchObject({ state: "failed", reason: "session-disposed" });
    expect(stage.turns.size).toBe(0);
  });

  it("with any other reason is final", async () => {
    for (const reason of ["session-busy", "provider-auth", "provider-4xx", "provider-5xx", "token-expired"] as const) {
      const stage = await running();
      stage.turns.frame({ type: "chat_error", id: ID, reason });
      expect(stage.view).toMatchObject({ state: "failed", reason });
      expect(stage.types()).toEqual(["chat_request"]);
    }
  });

  it("N25: that cannot be read ends the turn", async () => {
    const stage = await running();
    stage.turns.unreadableEnd(ID);
    expect(stage.view).toMatchObject({ state: "failed" });
    expect(stage.turns.size).toBe(0);
  });
});
