import { describe, expect, it } from "vitest";
import type { ConsentCard, PanelEvent } from "../bridge/panel-port";
import { initialState, type LocalEvent, type PanelState, reduce } from "./state";

const card = (id: string): ConsentCard => ({
  id,
  turn: "c-1",
  action: "click",
  site: "a.example",
  choices: ["once", "deny"],
  expiresAt: 0,
});

const conversation = (key: string): PanelEvent => ({
  kind: "conversation",
  conversation: { key, title: "", mode: "configuration", turns: [], ephemeral: false },
});

const list = (...ids: string[]): PanelEvent => ({ kind: "consents", key: "k", cards: ids.map(card) });
const answered = (id: string): LocalEvent => ({ kind: "consent-answered", id });

function idsAfter(...events: (PanelEvent | LocalEvent)[]): string[] {
  const state = [conversation("k"), ...events].reduce<PanelState>(
    (now, event) => reduce(now, event, 0),
    initialState(),
  );
  return state.consents.cards.map(({ id }) => id);
}

describe("consent cards", () => {
  it("are those of the last list", () => {
    expect(idsAfter(list("a", "b"), list("b", "c"))).toEqual(["b", "c"]);
  });

  it("vanish when they were answered elsewhere", () => {
    expect(idsAfter(list("a"), list())).toEqual([]);
  });

  it("vanish at once when they are answered, and do not come back with a list that was on its way", () => {
    expect(idsAfter(list("a", "b"), answered("a"))).toEqual(["b"]);
    expect(idsAfter(list("a", "b"), answered("a"), list("a", "b", "c"))).toEqual(["b", "c"]);
  });

  it("of another conversation are not shown", () => {
    expect(idsAfter({ ...list("a"), kind: "consents", key: "other", cards: [card("a")] })).toEqual([]);
    expect(idsAfter(list("a"), conversation("other"))).toEqual([]);
  });

  it("stay while the same conversation is told anew", () => {
    expect(idsAfter(list("a"), conversation("k"))).toEqual(["a"]);
  });

  it("go with the service worker that asked", () => {
    expect(idsAfter(list("a"), { kind: "port-lost" })).toEqual([]);
  });
});
