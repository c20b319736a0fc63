import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeChrome } from "../shared/testing/fake-chrome";
import {
  forgetConversationGrants,
  grantAlways,
  grantInConversation,
  isGranted,
  listConversationGrants,
  listGrants,
  revokeAllGrants,
  revokeGrant,
} from "./grants-store";

const A = "https://a.example";
const B = "https://b.example:8443";
let browser: FakeChrome;

beforeEach(() => {
  browser = new FakeChrome();
  vi.stubGlobal("chrome", browser);
});

describe("grants", () => {
  it("are kept by site and kind of action, each on its own", async () => {
    await Promise.all([grantAlways(B, "type"), grantAlways(A, "navigate"), grantAlways(A, "click")]);
    expect(await listGrants()).toEqual([
      { origin: A, actions: ["click", "navigate"] },
      { origin: B, actions: ["type"] },
    ]);
    expect(await isGranted("k", A, "click")).toBe(true);
    expect(await isGranted("k", A, "type")).toBe(false);
    expect(await isGranted("k", "https://a.example.evil.example", "click")).toBe(false);
  });

  it("of one conversation are not those of another, nor listed", async () => {
    await grantInConversation("one", A, "click");
    expect(await isGranted("one", A, "click")).toBe(true);
    expect(await isGranted("two", A, "click")).toBe(false);
    expect(await listGrants()).toEqual([]);
  });

  it("of conversations are listed by site, and go with their conversation", async () => {
    await grantInConversation("one", A, "type");
    await grantInConversation("two", A, "click");
    await grantInConversation("two", B, "click");
    expect(await listConversationGrants()).toEqual([
      { origin: A, actions: ["click", "type"] },
      { origin: B, actions: ["click"] },
    ]);
    await forgetConversationGrants("two");
    expect(await listConversationGrants()).toEqual([{ origin: A, actions: ["type"] }]);
    expect(await isGranted("two", A, "click")).toBe(false);
  });

  it("are taken back one by one or per site, in every conversation too, at once", async () => {
    await grantAlways(A, "click");
    await grantAlways(A, "type");
    await grantInConversation("one", A, "click");
    await revokeGrant(A, "click");
    expect(await isGranted("one", A, "click")).toBe(false);
    expect(await listGrants()).toEqual([{ origin: A, actions: ["type"] }]);
    await revokeGrant(A);
    expect(await listGrants()).toEqual([]);
    await revokeGrant("https://never.example");
  });

  it("all go with 'delete all my data'", async () => {
    await browser.storage.local.set({ instance: "kept" });
    await grantAlways(A, "click");
    await grantInConversation("one", A, "click");
    await revokeAllGrants();
    expect([...browser.storage.local.values.keys()]).toEqual(["instance"]);
    expect(browser.storage.session.values.size).toBe(0);
  });

  it("that somebody else wrote there count for nothing", async () => {
    const forged = [{ origin: B, actions: ["click"] }, { origin: A, actions: ["everything"] }, "click", null];
    for (const value of forged) {
      browser.storage.local.values.set(`grant:${A}`, value);
      expect(await isGranted("k", A, "click")).toBe(false);
    }
  });

  it("survive a writer that failed", async () => {
    browser.storage.local.broken = true;
    await expect(grantAlways(A, "click")).rejects.toThrow("quota");
    browser.storage.local.broken = false;
    await grantAlways(A, "type");
    expect(await listGrants()).toEqual([{ origin: A, actions: ["type"] }]);
  });
});
