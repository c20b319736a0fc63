import { describe, expect, it } from "vitest";
import { failGenerically, type Reduced, reduceTurn, type TurnFrame, type TurnProgress } from "./turn";

const START: TurnProgress = {
  nextSeq: 0,
  stopped: false,
  view: {
    id: "c-1",
    prompt: "?",
    mode: "educational",
    startedAt: 1,
    state: "running",
    text: "",
    tools: [],
    references: [],
    media: [],
    notices: [],
    pending: true,
  },
};

const delta = (seq: number, text: string): TurnFrame => ({ type: "chat_delta", id: "c-1", seq, delta: text });

function play(frames: TurnFrame[], from: TurnProgress = START): Reduced {
  return frames.reduce<Reduced>((reduced, frame) => reduceTurn(reduced.progress, frame, 1_000), {
    progress: from,
    change: { kind: "none" },
  });
}

describe("text of a turn", () => {
  it("is added in order, with the place where it goes", () => {
    const { progress, change } = play([delta(0, "A"), delta(1, "B😀"), delta(2, "C")]);
    expect(progress.view.text).toBe("AB😀C");
    expect(change).toEqual({ kind: "text", at: 4, text: "C" });
  });

  it("N3: a piece that comes twice or late is not shown again", () => {
    const { progress, change } = play([delta(0, "A"), delta(1, "B"), delta(0, "A"), delta(1, "B")]);
    expect(progress.view.text).toBe("AB");
    expect(change).toEqual({ kind: "none" });
  });

  it("N4: a gap is noticed and nothing is added behind it", () => {
    const { progress, change } = play([delta(0, "A"), delta(2, "C")]);
    expect(change).toEqual({ kind: "gap" });
    expect(progress.view.text).toBe("A");
    expect(progress.nextSeq).toBe(1);
  });

  it("N7: stays when the turn fails", () => {
    const { progress, change } = play([delta(0, "A"), { type: "chat_error", id: "c-1", reason: "provider-5xx" }]);
    expect(progress.view).toMatchObject({ text: "A", state: "failed", reason: "provider-5xx" });
    expect(change.kind).toBe("ended");
  });

  it("shows that the worker has the question", () => {
    expect(play([delta(0, "A")]).progress.view.pending).toBeUndefined();
  });
});

describe("tools of a turn", () => {
  const started: TurnFrame = { type: "tool_activity", chatId: "c-1", callId: "1", tool: "page_text", phase: "started" };
  const finished: TurnFrame = { ...started, phase: "finished", ok: true, ms: 7 };

  it("N6: start and end of one call are one row", () => {
    const { view } = play([started, { ...started, callId: "2" }, finished]).progress;
    expect(view.tools).toEqual([
      { callId: "1", tool: "page_text", phase: "finished", ok: true, ms: 7 },
      { callId: "2", tool: "page_text", phase: "started" },
    ]);
  });
});

describe("end of a turn", () => {
  it("keeps the references of a finished answer", () => {
    const references = [{ kind: "doc", title: "HTTP LB", url: "https://docs.example/" }];
    const { view } = play([delta(0, "A"), { type: "chat_done", id: "c-1", references }]).progress;
    expect(view).toMatchObject({ state: "done", references });
  });

  it("is called stopped when the worker reported so", () => {
    const report: TurnFrame = { type: "turn_report", id: "c-1", model: "m", stopped: true };
    expect(play([report, { type: "chat_done", id: "c-1" }]).progress.view).toMatchObject({
      state: "stopped",
      model: "m",
    });
  });

  it("N25: an end that cannot be read fails the turn without a reason", () => {
    const { progress, change } = failGenerically(play([delta(0, "A")]).progress);
    expect(progress.view).toMatchObject({ state: "failed", text: "A" });
    expect(progress.view.reason).toBeUndefined();
    expect(change.kind).toBe("ended");
  });
});

describe("snapshot, notices and media of a turn", () => {
  it("replaces the picture, and text goes on behind it", () => {
    const { pending: _pending, ...record } = START.view;
    const snapshot: TurnFrame = {
      type: "turn_snapshot",
      conversation: "11111111-2222-4333-8444-555555555555",
      nextSeq: 5,
      turn: { ...record, text: "ABCDE" },
    };
    const { view } = play([delta(0, "A"), delta(2, "C"), snapshot, delta(4, "E"), delta(5, "F")]).progress;
    expect(view.text).toBe("ABCDEF");
    expect(play([{ ...snapshot, turn: { ...record, state: "done" } }]).change.kind).toBe("ended");
  });

  it("N7: a worker that was killed does not take back what was shown", () => {
    const { pending: _pending, ...record } = START.view;
    const snapshot: TurnFrame = {
      type: "turn_snapshot",
      conversation: "11111111-2222-4333-8444-555555555555",
      nextSeq: 0,
      turn: { ...record, text: "A", state: "failed", reason: "session-disposed" },
    };
    const { progress, change } = play([delta(0, "A"), delta(1, "B"), snapshot]);
    expect(progress.view).toMatchObject({ text: "AB", state: "failed", reason: "session-disposed" });
    expect(change.kind).toBe("ended");
  });

  it("says when the worker tries again, until it answers", () => {
    const notice: TurnFrame = { type: "turn_notice", id: "c-1", code: "retrying", attempt: 1, waitMs: 500 };
    expect(play([notice, notice]).progress.view).toMatchObject({ notices: ["retrying"], retryAt: 1_500 });
    expect(play([notice, delta(0, "A")]).progress.view.retryAt).toBeUndefined();
  });

  /** A card with an id of its own. */
  function card(number: number, bytes = 3): TurnFrame {
    return {
      type: "chat_media",
      id: "c-1",
      media: {
        version: 1,
        id: `media_${String(number).padStart(24, "0")}`,
        kind: "image",
        original: { ref: `blob:sha256:${"a".repeat(64)}`, mimeType: "image/png", bytes },
        provenance: { sourceType: "tool", source: "display_media" },
        playback: { autoplay: false, loop: false, muted: true, fpsCap: 12 },
      },
    };
  }

  it("is bounded in media", () => {
    expect(play(Array.from({ length: 70 }, (_, number) => card(number))).progress.view.media).toHaveLength(64);
  });

  it("shows each media once, where it came first, and as it came last", () => {
    const { media } = play([card(2), card(1), card(2, 7)]).progress.view;
    expect(media).toMatchObject([
      { id: `media_${"2".padStart(24, "0")}`, original: { bytes: 7 } },
      { id: `media_${"1".padStart(24, "0")}`, original: { bytes: 3 } },
    ]);
  });

  it("N6: what a tool was asked and gave is kept in its one row, and nothing undoes its end", () => {
    const row = { type: "tool_activity", chatId: "c-1", callId: "call_1", tool: "page_text" } as const;
    const frames: TurnFrame[] = [
      { ...row, phase: "started", label: "Read the text", input: "{}" },
      { ...row, phase: "progress", output: "waiting for the person" },
      { ...row, phase: "finished", ok: true, ms: 31, output: "lb1" },
      { ...row, phase: "progress", output: "late" },
    ];
    const { type: _type, chatId: _chatId, ...ids } = row;
    expect(play(frames.slice(0, 2)).progress.view.tools).toEqual([
      { ...ids, phase: "progress", label: "Read the text", input: "{}", output: "waiting for the person" },
    ]);
    expect(play(frames).progress.view.tools).toEqual([
      { ...ids, phase: "finished", label: "Read the text", input: "{}", ok: true, ms: 31, output: "lb1" },
    ]);
  });

  it("a keepalive changes nothing but proves life", () => {
    expect(play([{ type: "chat_keepalive", id: "c-1" }])).toEqual({ progress: START, change: { kind: "alive" } });
  });
});
