import { describe, expect, it, vi } from "vitest";
import { isHostToolUpdate } from "../contract/validators.generated";
import { grantAlways, listGrants } from "./grants-store";
import { done, ORIGIN, stage, TAB, target, useStage } from "./testing/stage";

useStage();

const CLICK = { ref: "kq12" };

describe("an action", () => {
  it("happens only after the person said so, on the very target that was asked about", async () => {
    const id = stage.call("page_click", CLICK);
    const card = await stage.card();
    expect(card).toMatchObject({
      turn: "c-1",
      action: "click",
      site: "acme.example",
      target: "Edit",
      choices: ["once", "conversation", "always", "deny"],
    });
    expect(stage.acted()).toEqual([]);
    stage.tools.consents.answer("key", card.id, "once");
    expect(await stage.result(id)).toBe("done");
    expect(stage.acted()).toMatchObject([{ tool: "page_click", arguments: { ref: "kq12" }, confirmed: true }]);
    expect(stage.cards).toEqual([]);
  });

  it("S22: the card shows what the page has there, not what the model calls it", async () => {
    stage.answer = () => target("Delete everything");
    stage.call("page_click", { role: "button", name: "Harmless" });
    expect(await stage.card()).toMatchObject({ target: "Delete everything" });
  });

  it("that the person refuses does not happen, and after three refusals nobody is asked any more", async () => {
    for (let count = 0; count < 3; count += 1) {
      const id = stage.call("page_click", CLICK);
      stage.tools.consents.answer("key", (await stage.card()).id, "deny");
      expect(await stage.result(id)).toMatch(/^! consent-denied: /);
    }
    expect(await stage.run("page_click", CLICK)).toMatch(/^! consent-denied: /);
    expect(stage.acted()).toEqual([]);
  });

  it("decision 28: unanswered for two minutes counts as no, and the worker hears of it every 30 s until then", async () => {
    const id = stage.call("page_click", CLICK);
    const { expiresAt = 0 } = await stage.card();
    expect(expiresAt - Date.now()).toBeGreaterThan(119_000);
    await vi.advanceTimersByTimeAsync(91_000);
    expect(stage.updates(id)).toBe(4);
    expect(stage.sent.every(isHostToolUpdate)).toBe(true);
    expect(stage.results(id)).toEqual([]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await stage.result(id)).toMatch(/^! consent-denied: /);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(stage.updates(id)).toBeLessThanOrEqual(5);
  });

  it("decision 28: with the panel closed fails at once, and the toolbar icon calls", async () => {
    stage.panels = 0;
    const id = stage.call("page_click", CLICK);
    expect(await stage.result(id)).toMatch(/^! consent-unavailable: /);
    await vi.waitFor(() => expect(stage.browser.badges.get(TAB)).toBe("!"));
    stage.tools.panelShows(TAB);
    expect(stage.browser.badges.get(TAB)).toBe("");
  });

  it("decision 28: closing the last panel while the card is open fails it at once", async () => {
    const id = stage.call("page_click", CLICK);
    await stage.card();
    stage.panels = 0;
    stage.tools.consents.panelLeft();
    expect(await stage.result(id)).toMatch(/^! consent-unavailable: /);
    expect(stage.cards).toEqual([]);
    await vi.waitFor(() => expect(stage.browser.badges.get(TAB)).toBe("!"));
  });

  it("N20: is not done any more when the turn was stopped while the card was open", async () => {
    const id = stage.call("page_click", CLICK);
    const card = await stage.card();
    stage.end();
    stage.tools.consents.answer("key", card.id, "always");
    expect(await stage.result(id)).toMatch(/^! cancelled: /);
    expect(stage.cards).toEqual([]);
    expect(stage.acted()).toEqual([]);
    expect(await listGrants()).toEqual([]);
  });

  it("whose page went to another site while the card was open does not happen", async () => {
    const id = stage.call("page_click", CLICK);
    const card = await stage.card();
    stage.goTo("https://evil.example/");
    stage.tools.consents.answer("key", card.id, "once");
    expect(await stage.result(id)).toMatch(/^! tab-moved: /);
    expect(stage.acted()).toEqual([]);
  });

  it("whose target changed while the card was open is refused by the page", async () => {
    stage.answer = (_frame, { kind }) =>
      kind === "sidewire-tool-target" ? target() : { ok: false, code: "target-changed", detail: "now Delete" };
    expect(await stage.runAllowed("page_click", CLICK)).toMatch(/^! target-changed: .*\(now Delete\)/);
  });

  it("whose target does not exist bothers nobody", async () => {
    stage.answer = () => ({ ok: false, code: "occluded", detail: 'dialog "Cookies"' });
    expect(await stage.run("page_click", CLICK)).toMatch(/^! occluded: .*dialog "Cookies"/);
    expect(stage.cards).toEqual([]);
  });

  it("shows on the toolbar icon and in the page while it happens", async () => {
    let finish: (value: unknown) => void = () => undefined;
    stage.answer = (_frame, { kind }) =>
      kind === "sidewire-tool-target"
        ? target()
        : new Promise((resolve) => {
            finish = resolve;
          });
    const id = stage.call("page_click", CLICK);
    const card = await stage.card();
    expect(stage.browser.badges.get(TAB)).toBe("!");
    stage.tools.consents.answer("key", card.id, "once");
    await vi.waitFor(() => expect(stage.acted()).toHaveLength(1));
    expect(stage.browser.badges.get(TAB)).toBe("●");
    const call = stage.asked[0]?.call;
    const [badge] = stage.badges();
    expect(badge).toMatchObject({ text: "pageBadgeActing", stop: "pageBadgeStop", frameId: 0 });
    expect(badge?.call).not.toBe(call);
    finish(done());
    await stage.result(id);
    expect(stage.told.at(-1)).toEqual({ kind: "sidewire-tool-end", call });
    expect(stage.browser.badges.get(TAB)).toBe("●");
    stage.end();
    expect(stage.browser.badges.get(TAB)).toBe("");
    expect(stage.told.at(-1)).toEqual({ kind: "sidewire-tool-end", call: badge?.call });
  });

  it("has one badge in the page from the first act of its turn to the end, also on the next document", async () => {
    expect(await stage.runAllowed("page_click", CLICK)).toBe("done");
    expect(await stage.runAllowed("page_click", CLICK)).toBe("done");
    stage.tools.tabLoaded(TAB);
    stage.tools.tabLoaded(8);
    const names = stage.badges().map(({ call }) => call);
    expect(names).toHaveLength(3);
    expect(new Set(names).size).toBe(1);
    expect(stage.told).not.toContainEqual({ kind: "sidewire-tool-end", call: names[0] });
  });

  it("brings its target into view when its card is the one that is shown, and not before", async () => {
    const shown = () => stage.told.filter(({ kind }) => kind === "sidewire-tool-show");
    stage.call("page_click", CLICK);
    stage.call("page_select", { ref: "kq2", options: ["a"] });
    const first = await stage.card();
    await stage.card(1);
    expect(shown()).toEqual([{ kind: "sidewire-tool-show", call: stage.asked[0]?.call, frameId: 0 }]);
    stage.tools.consents.answer("key", first.id, "deny");
    expect(shown()).toMatchObject([{}, { call: stage.asked[1]?.call }]);
  });

  it("tells the row of the call what it waits for, and that it is allowed", async () => {
    const id = stage.call("page_click", CLICK);
    const card = await stage.card();
    expect(stage.progress(id)).toEqual(["toolWaitsForPerson"]);
    stage.tools.consents.answer("key", card.id, "once");
    await stage.result(id);
    expect(stage.progress(id)).toEqual(["toolWaitsForPerson", "toolAllowed"]);
  });

  it("says what it acts on as a whole, and nothing where that has no name", async () => {
    const options = ["x".repeat(500), "y".repeat(500)];
    stage.answer = () => target("", { role: "combobox", context: 'row "lb1"' });
    stage.call("page_select", { ref: "kq1", options });
    const card = await stage.card();
    expect(card).toMatchObject({ role: "combobox", context: 'row "lb1"', value: options.join(", ") });
    expect(card).not.toHaveProperty("target");
    stage.answer = () => ({ ok: true, role: "page", name: "The title", secret: false, editable: false });
    stage.call("page_scroll", { direction: "down" });
    const page = await stage.card(1);
    expect(page).not.toHaveProperty("target");
    expect(page).not.toHaveProperty("role");
    const value = "z".repeat(32_768);
    stage.answer = () => target("n".repeat(400));
    stage.call("page_fill", { ref: "kq1", value });
    expect(await stage.card(2)).toMatchObject({ target: "n".repeat(400), value });
  });
});

describe("an answer", () => {
  it("S22: counts only for an open card of the conversation that is shown, and only if it was offered", async () => {
    stage.answer = (_frame, { kind }) => (kind === "sidewire-tool-target" ? target("PIN", { secret: true }) : done());
    const id = stage.call("page_fill", { ref: "kq3", value: "1234" });
    const card = await stage.card();
    const { consents } = stage.tools;
    consents.answer("another", card.id, "once");
    consents.answer("key", "another", "once");
    consents.answer("key", card.id, "always");
    consents.answer("key", card.id, "conversation");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stage.results(id)).toEqual([]);
    expect(stage.acted()).toEqual([]);
  });

  it("S22: nothing that a content script sends answers a card", async () => {
    const id = stage.call("page_click", CLICK);
    const card = await stage.card();
    const sender = { id: stage.browser.runtime.id, frameId: 0, tab: Object({ id: TAB }) };
    const forged = { kind: "consent", id: card.id, answer: "always" };
    for (const message of [forged, { ...forged, kind: "sidewire-stop", call: card.id }]) {
      stage.tools.message(message, sender);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stage.results(id)).toEqual([]);
    expect(stage.cards).toHaveLength(1);
  });

  it("for the conversation covers this kind of action there, and ends with the browser", async () => {
    const id = stage.call("page_click", CLICK);
    stage.tools.consents.answer("key", (await stage.card()).id, "conversation");
    await stage.result(id);
    expect(await stage.run("page_click", CLICK)).toBe("done");
    stage.call("page_select", { ref: "kq1", options: ["a"] });
    expect(await stage.card()).toMatchObject({ action: "choose", value: "a" });
    expect(await listGrants()).toEqual([]);
    expect([...stage.browser.storage.local.values.keys()]).toEqual([]);
  });

  it("for always is written down, by site and kind, and answers what waits for the same", async () => {
    const ids = [stage.call("page_click", CLICK), stage.call("page_click", { ref: "kq13" })];
    const card = await stage.card();
    await stage.card(1);
    stage.tools.consents.answer("key", card.id, "always");
    expect(await Promise.all(ids.map((id) => stage.result(id)))).toEqual(["done", "done"]);
    expect(await listGrants()).toEqual([{ origin: ORIGIN, actions: ["click"] }]);
  });

  it("for always covers neither a site's frame in another page nor that page, which the card names", async () => {
    const pay = { id: 3, url: "https://pay.example/form", origin: "https://pay.example", focused: false };
    stage.frames = [...stage.frames, pay];
    await grantAlways(ORIGIN, "click");
    await grantAlways("https://pay.example", "click");
    const id = stage.call("page_click", { ref: "f3kq1" });
    const card = await stage.card();
    expect(card).toMatchObject({ site: "pay.example", page: "acme.example", choices: ["once", "deny"] });
    stage.tools.consents.answer("key", card.id, "once");
    await stage.result(id);
    expect(stage.acted()).toMatchObject([{ frameId: 3, prefix: "f3", arguments: { ref: "kq1" } }]);
  });

  it("for always on a page covers a frame of the page's own origin", async () => {
    stage.frames = [...stage.frames, { id: 3, url: `${ORIGIN}/inner`, origin: ORIGIN, focused: false }];
    await grantAlways(ORIGIN, "click");
    expect(await stage.run("page_click", { ref: "f3kq1" })).toBe("done");
  });

  it("that lasts is not offered to a sandboxed frame, which is named after where it comes from", async () => {
    const embedded = { url: "https://evil.example/x", origin: "null", focused: false };
    stage.frames = [...stage.frames, { ...embedded, id: 3 }, { ...embedded, id: 4, url: "about:srcdoc" }];
    stage.call("page_click", { ref: "f3kq1" });
    stage.call("page_click", { ref: "f4kq1" });
    const choices = ["once", "deny"];
    expect(await stage.card()).toMatchObject({ site: "evil.example", page: "acme.example", choices });
    expect(await stage.card(1)).toMatchObject({ site: "acme.example", choices });
  });
});

describe("a password field", () => {
  it("is asked about each time, and the card does not show what goes into it", async () => {
    await grantAlways(ORIGIN, "type");
    stage.answer = (_frame, { kind }) => (kind === "sidewire-tool-target" ? target("PIN", { secret: true }) : done());
    for (let count = 0; count < 2; count += 1) {
      const id = stage.call("page_fill", { ref: "kq3", value: "1234" });
      const card = await stage.card();
      expect(card).toMatchObject({ secret: true, choices: ["once", "deny"] });
      expect(JSON.stringify(card)).not.toContain("1234");
      stage.tools.consents.answer("key", card.id, "once");
      await stage.result(id);
    }
    expect(stage.acted()).toMatchObject([{ mayTypeSecrets: true }, { mayTypeSecrets: true }]);
  });

  it("is no secret to a click, and other fields never get the leave to take secrets", async () => {
    await grantAlways(ORIGIN, "click");
    await grantAlways(ORIGIN, "type");
    stage.answer = (_frame, { kind }) => (kind === "sidewire-tool-target" ? target("PIN", { secret: true }) : done());
    expect(await stage.run("page_click", { ref: "kq3" })).toBe("done");
    stage.answer = (_frame, { kind }) => (kind === "sidewire-tool-target" ? target("Name") : done());
    expect(await stage.run("page_fill", { ref: "kq4", value: "x" })).toBe("done");
    for (const message of stage.acted()) expect(message).not.toHaveProperty("mayTypeSecrets");
  });
});

describe("policy and incognito", () => {
  it("N26: confirmBeforeMutating asks each time, whatever was allowed before", async () => {
    await grantAlways(ORIGIN, "click");
    stage.policy.confirmBeforeMutating = true;
    stage.call("page_click", CLICK);
    expect(await stage.card()).toMatchObject({ choices: ["once", "deny"] });
  });

  it("an incognito window neither offers nor uses what lasts", async () => {
    await grantAlways(ORIGIN, "click");
    stage.browser.extension.inIncognitoContext = true;
    stage.call("page_click", CLICK);
    expect(await stage.card()).toMatchObject({ choices: ["once", "conversation", "deny"] });
  });
});

describe("several actions", () => {
  const two = () => [stage.call("page_fill", { ref: "kq1", value: "x" }), stage.call("page_click", { ref: "kq2" })];

  it("wait in one line, and only the first can be answered", async () => {
    two();
    const [first, second] = [await stage.card(0), await stage.card(1)];
    expect([first.action, second.action]).toEqual(["type", "click"]);
    stage.tools.consents.answer("key", second.id, "once");
    expect(stage.cards).toHaveLength(2);
  });

  it("have two minutes each, since each came first in the line", async () => {
    const ids = two();
    const second = await stage.card(1);
    expect(second).not.toHaveProperty("expiresAt");
    await vi.advanceTimersByTimeAsync(120_500);
    expect(await stage.result(ids[0] ?? "")).toMatch(/^! consent-denied/);
    expect(stage.cards).toMatchObject([{ id: second.id }]);
    await vi.advanceTimersByTimeAsync(110_000);
    expect(stage.cards).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10_500);
    expect(await stage.result(ids[1] ?? "")).toMatch(/^! consent-denied/);
  });

  it("happen in the order in which they were called", async () => {
    let finish: (value: unknown) => void = () => undefined;
    stage.answer = (_frame, { kind, tool }) => {
      if (kind === "sidewire-tool-target") return target();
      if (tool === "page_click") return done();
      return new Promise((resolve) => {
        finish = resolve;
      });
    };
    const ids = two();
    stage.tools.consents.answer("key", (await stage.card()).id, "once");
    await vi.waitFor(() => expect(stage.acted()).toHaveLength(1));
    stage.tools.consents.answer("key", (await stage.card()).id, "once");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stage.acted()).toHaveLength(1);
    finish(done());
    await Promise.all(ids.map((id) => stage.result(id)));
    expect(stage.acted().map(({ tool }) => tool)).toEqual(["page_fill", "page_click"]);
  });

  it("go on when the one before was refused", async () => {
    const ids = two();
    stage.tools.consents.answer("key", (await stage.card(0)).id, "deny");
    stage.tools.consents.answer("key", (await stage.card(0)).id, "once");
    expect(await stage.result(ids[0] ?? "")).toMatch(/^! consent-denied/);
    expect(await stage.result(ids[1] ?? "")).toBe("done");
  });

  it("that still wait when the person has refused three are refused with them", async () => {
    const ids = Array.from({ length: 5 }, (_, at) => stage.call("page_click", { ref: `kq${at}` }));
    await stage.card(4);
    for (let count = 0; count < 3; count += 1) stage.tools.consents.answer("key", (await stage.card()).id, "deny");
    for (const id of ids) expect(await stage.result(id)).toMatch(/^! consent-denied/);
    expect(stage.cards).toEqual([]);
  });

  it("that wait for the person keep no place from those that work", async () => {
    for (let at = 0; at < 8; at += 1) stage.call("page_click", { ref: `kq${at}` });
    await stage.card(7);
    expect(await stage.run("page_text", { ref: "kq1" })).toBe("done");
  });
});
