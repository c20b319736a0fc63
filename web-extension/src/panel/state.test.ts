import { describe, expect, it } from "vitest";
import type { ConversationView, PageChip, PanelEvent, Preview, TurnView } from "../bridge/panel-port";
import { initialState, type LocalEvent, type PanelState, reduce } from "./state";

const turn = (changes: Partial<TurnView> = {}): TurnView => ({
  id: "c-1",
  prompt: "What?",
  mode: "educational",
  startedAt: 0,
  state: "running",
  text: "",
  tools: [],
  references: [],
  media: [],
  notices: [],
  ...changes,
});

const showing = (conversation: Partial<ConversationView>): PanelEvent => ({
  kind: "conversation",
  conversation: {
    key: "k",
    id: "one",
    title: "One",
    mode: "educational",
    turns: [],
    ephemeral: false,
    ...conversation,
  },
});

const page: PageChip = {
  state: "readable",
  tabId: 7,
  title: "lb1",
  url: "https://a.example/lb1?x=1",
  host: "a.example",
  selection: false,
  other: false,
  api: "none",
};

const preview = (url: string): Preview => ({
  token: "pin",
  snapshot: { v: 1, capturedAt: 0, tabId: 7, url, path: "/lb1", title: "lb1", ax: null, api: null, truncated: false },
  report: { bytes: 10, budget: 20, nodesSeen: 1, nodesSent: 1, redacted: [], frames: 1, framesUnreadable: 0 },
});

/** The state after these events, one second apart. */
function stateAfter(...events: (PanelEvent | LocalEvent)[]): PanelState {
  return events.reduce((state, event, index) => reduce(state, event, index * 1000), initialState());
}

const delta = (at: number, text: string): PanelEvent => ({ kind: "delta", key: "k", turn: "c-1", at, text });
const textOf = (state: PanelState) => state.conversation.turns[0]?.text;

describe("deltas", () => {
  const started = showing({ turns: [turn()] });

  it("are appended where they belong", () => {
    const state = stateAfter(started, delta(0, "This "), delta(5, "LB"));
    expect(textOf(state)).toBe("This LB");
    expect(state.outOfStep).toBe(false);
  });

  it("that repeat what is there change nothing", () => {
    const state = stateAfter(started, delta(0, "A"), delta(1, "B"), delta(0, "A"), delta(0, "AB"));
    expect(textOf(state)).toBe("AB");
    expect(state.outOfStep).toBe(false);
  });

  it.each([
    ["after a gap", delta(5, "x")],
    ["that contradict the text", delta(0, "Z")],
    ["that overlap its end", delta(1, "BC")],
    ["of an unknown turn", { kind: "delta", key: "k", turn: "c-9", at: 0, text: "x" } satisfies PanelEvent],
  ])("%s are not shown and ask for a sync", (_name, event) => {
    const state = stateAfter(started, delta(0, "AB"), event);
    expect(textOf(state)).toBe("AB");
    expect(state.outOfStep).toBe(true);
    expect(reduce(state, { kind: "sync-sent" }, 0).outOfStep).toBe(false);
  });

  it("after a stop or an end no longer count", () => {
    expect(textOf(stateAfter(started, { kind: "stopping", turn: "c-1" }, delta(0, "late")))).toBe("");
    const done = stateAfter(
      started,
      { kind: "turn", key: "k", turn: turn({ state: "done", text: "all" }) },
      delta(3, "late"),
    );
    expect(textOf(done)).toBe("all");
    expect(done.outOfStep).toBe(false);
  });
});

describe("turns", () => {
  it("replace the turn of their id, or are appended", () => {
    const state = stateAfter(
      showing({ turns: [turn()] }),
      { kind: "turn", key: "k", turn: turn({ text: "more" }) },
      { kind: "turn", key: "k", turn: turn({ id: "c-2" }) },
    );
    expect(state.conversation.turns.map(({ id, text }) => [id, text])).toEqual([
      ["c-1", "more"],
      ["c-2", ""],
    ]);
  });

  it("keep their partial text when they fail", () => {
    const failed = turn({ state: "failed", reason: "provider-5xx", text: "half" });
    const state = stateAfter(showing({ turns: [turn()] }), delta(0, "half"), { kind: "turn", key: "k", turn: failed });
    expect(textOf(state)).toBe("half");
    expect(state.ended?.id).toBe("c-1");
    expect(state.pulse).toBeNull();
  });

  it("are announced as ended only when their running was seen", () => {
    expect(stateAfter(showing({ turns: [turn({ state: "done" })] })).ended).toBeNull();
    const whole = stateAfter(showing({ turns: [turn()] }), showing({ turns: [turn({ state: "done" })] }));
    expect(whole.ended?.state).toBe("done");
  });

  it("from before are put in front, each once", () => {
    const state = stateAfter(showing({ turns: [turn({ id: "c-5" })], before: "5" }), {
      kind: "older",
      key: "k",
      turns: [turn({ id: "c-4" }), turn({ id: "c-5" })],
    });
    expect(state.conversation.turns.map(({ id }) => id)).toEqual(["c-4", "c-5"]);
    expect(state.conversation.before).toBeUndefined();
  });

  it("show life without text", () => {
    const state = stateAfter(showing({ turns: [turn()] }), delta(0, "x"), { kind: "alive", key: "k", turn: "c-1" });
    expect(state.pulse).toEqual({ turn: "c-1", aliveAt: 2000, textAt: 1000 });
  });
});

describe("conversations", () => {
  const withoutId = {
    key: "k",
    title: "",
    mode: "educational" as const,
    turns: [turn()],
    ephemeral: false,
  };

  it("that receive their id stay the same one", () => {
    const state = stateAfter({ kind: "conversation", conversation: withoutId }, showing({ turns: [turn()] }));
    expect(state.serial).toBe(1);
  });

  it("that differ are another one and drop what belonged to the last", () => {
    const state = stateAfter(
      showing({}),
      { kind: "page", page },
      { kind: "pinned", preview: preview(page.url) },
      { kind: "not-sent", text: "x", reason: "too-long" },
      showing({ key: "other", id: "two" }),
    );
    expect([state.serial, state.pin, state.notSent]).toEqual([2, null, null]);
  });
});

it("what is said about another conversation is not taken for this one's", () => {
  const state = stateAfter(
    showing({ turns: [turn()] }),
    { kind: "turn", key: "other", turn: turn({ id: "c-2" }) },
    { kind: "delta", key: "other", turn: "c-1", at: 0, text: "x" },
  );
  expect(state.conversation.turns).toEqual([turn()]);
  expect(state.outOfStep).toBe(false);
});

describe("a question on its way", () => {
  const sending: LocalEvent = { kind: "sending", text: "What now?" };

  it("comes back when the service worker goes away under it", () => {
    const state = stateAfter(showing({}), sending, { kind: "port-lost" }, { kind: "port-open" });
    expect([state.incoming?.text, state.sending]).toEqual(["What now?", null]);
  });

  it("does not once it is written down, or was refused", () => {
    expect(stateAfter(showing({}), sending, { kind: "sent" }, { kind: "port-lost" }).incoming).toBeNull();
    const refused = stateAfter(showing({}), sending, { kind: "not-sent", text: "What now?", reason: "too-long" });
    const later = [{ kind: "incoming-taken" }, { kind: "port-lost" }] as const;
    expect(later.reduce((state, event) => reduce(state, event, 0), refused).incoming).toBeNull();
  });
});

describe("pins", () => {
  const pinned: (PanelEvent | LocalEvent)[] = [
    showing({}),
    { kind: "page", page },
    { kind: "pinned", preview: preview(page.url) },
  ];

  it("hold for the same document, whatever its query", () => {
    expect(
      stateAfter(...pinned, { kind: "page", page: { ...page, url: "https://a.example/lb1#top" } }).pin?.token,
    ).toBe("pin");
  });

  it.each<[string, PageChip]>([
    ["another address", { ...page, url: "https://a.example/lb2" }],
    ["another tab", { ...page, tabId: 8 }],
    ["a page that cannot be read", { state: "unreadable", fault: "restricted-page" }],
  ])("end with %s", (_name, next) => {
    expect(stateAfter(...pinned, { kind: "page", page: next }).pin).toBeNull();
  });
});

it("busy is news only while the conversation answers", () => {
  const busy = stateAfter(showing({ turns: [turn()] }), { kind: "busy" });
  expect(busy.notSent).toBe("session-busy");
  expect(reduce(busy, { kind: "turn", key: "k", turn: turn({ state: "done" }) }, 0).notSent).toBeNull();
});

it("a lost port is remembered from its first moment", () => {
  const state = stateAfter(showing({}), { kind: "port-lost" }, { kind: "port-lost" });
  expect(state.portLostAt).toBe(1000);
  expect(reduce(state, { kind: "port-open" }, 0).portLostAt).toBeNull();
});

it("text from outside goes to the composer once", () => {
  const state = stateAfter(showing({}), { kind: "draft", text: "About this" });
  expect(state.incoming).toEqual({ text: "About this", source: "page" });
  expect(reduce(state, { kind: "incoming-taken" }, 0).incoming).toBeNull();
});

it("another conversation waits until it does not, or until nobody can tell", () => {
  const waits = stateAfter(showing({}), { kind: "elsewhere", waits: true });
  expect(waits.elsewhere).toBe(true);
  expect(reduce(waits, { kind: "elsewhere", waits: false }, 0).elsewhere).toBe(false);
  expect(reduce(waits, { kind: "port-lost" }, 0).elsewhere).toBe(false);
});
