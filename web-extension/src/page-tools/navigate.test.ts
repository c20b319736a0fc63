import { beforeEach, describe, expect, it, vi } from "vitest";
import { grantAlways } from "./grants-store";
import { addressOf } from "./navigate";
import { ORIGIN, PAGE, stage, useStage } from "./testing/stage";

useStage();

beforeEach(() => grantAlways(ORIGIN, "navigate"));

const go = (url: string): Promise<string> => stage.run("page_navigate", { url });

describe("page_navigate", () => {
  it("asks with the address, goes there, and the turn goes along", async () => {
    const seen = vi.spyOn(stage.browser, "navigate");
    expect(await go("../web/lb2?x=1")).toBe(`the page ${ORIGIN}/web/lb2 has loaded`);
    expect(seen).toHaveBeenCalledWith(expect.anything(), `${ORIGIN}/web/lb2?x=1`);
    expect(await stage.run("page_text", { ref: "kq1" })).toMatch(/^(done|! tab-moved)/);
  });

  it("shows the person where it goes", async () => {
    stage.policy.confirmBeforeMutating = true;
    stage.call("page_navigate", { url: "/web/lb2" });
    expect(await stage.card()).toMatchObject({ action: "navigate", site: "acme.example", target: `${ORIGIN}/web/lb2` });
  });

  it("goes where the person was told, although the page has moved on meanwhile", async () => {
    stage.policy.confirmBeforeMutating = true;
    const id = stage.call("page_navigate", { url: "lb2" });
    const card = await stage.card();
    stage.goTo(`${ORIGIN}/admin/danger/`);
    stage.tools.consents.answer("key", card.id, "once");
    expect(await stage.result(id)).toBe(`the page ${ORIGIN}/web/lb2 has loaded`);
  });

  it("3eb5fa4: does nothing where the page is already", async () => {
    const seen = vi.spyOn(stage.browser, "navigate");
    expect(await go(PAGE)).toMatch(/^the page is at this address already/);
    expect(seen).not.toHaveBeenCalled();
  });

  it.each([
    ["javascript:alert(1)", "bad-address"],
    ["JavaScript:alert(1)", "bad-address"],
    [" java\nscript:alert(1)", "bad-address"],
    ["data:text/html,x", "bad-address"],
    ["file:///etc/passwd", "bad-address"],
    ["blob:https://acme.example/1", "bad-address"],
    ["chrome://settings", "bad-address"],
    ["https://user:pw@acme.example/", "bad-address"],
    ["https://", "bad-address"],
    ["//evil.example/", "other-site"],
    ["\\\\evil.example\\x", "other-site"],
    ["https://evil.example/?x=acme.example", "other-site"],
    ["https://acme.example.evil.example/", "other-site"],
    ["https://a.acme.example/", "other-site"],
    ["https://acme.example:8443/", "other-site"],
    ["http://acme.example/web", "other-site"],
  ])("N17: refuses %j without asking or moving", async (address, code) => {
    const seen = vi.spyOn(stage.browser, "navigate");
    expect(await go(address)).toMatch(new RegExp(`^! ${code}: `));
    expect(seen).not.toHaveBeenCalled();
    expect(stage.cards).toEqual([]);
  });

  it("may go from http to https of the same host, and the turn stays with it", async () => {
    stage.goTo("http://acme.example/web");
    Object(stage.turn).origin = "http://acme.example";
    await grantAlways("http://acme.example", "navigate");
    expect(addressOf("https://acme.example/x", new URL("http://acme.example/")).origin).toBe(ORIGIN);
    // Another port is another host, so https on its own port is where this can lead.
    expect(await go("https://acme.example/x")).toMatch(/has loaded/);
    expect(stage.turn?.origin).toBe(ORIGIN);
  });

  it("N26: does not go where policy forbids, also not by a redirect", async () => {
    stage.policy.blockedUrlPatterns = ["*://*/admin/*"];
    expect(await go("/%61dmin/x")).toMatch(/^! blocked-by-policy: /);
    expect(stage.browser.tabList[0]).toMatchObject({ url: PAGE });
    stage.browser.navigate = (tab) => Object.assign(tab, { url: `${ORIGIN}/admin/x`, status: "complete" });
    expect(await go("/web/lb2")).toMatch(/^! blocked-by-policy: /);
  });

  it("says when the site led elsewhere, and the turn does not follow", async () => {
    for (const url of ["https://evil.example/", undefined]) {
      stage.goTo(PAGE);
      stage.browser.navigate = (tab) => Object.assign(tab, { url, status: "complete" });
      expect(await go("/out")).toMatch(/^! other-site: /);
      expect(stage.turn?.origin).toBe(ORIGIN);
    }
    expect(await stage.run("page_text")).toMatch(/^! unreadable-page/);
  });

  it.each(["/file.zip", "/stopped", "/web/lb1?download=1"])(
    "says that %s opened nothing when the page stays",
    async (url) => {
      stage.browser.navigate = (tab) => {
        Object.assign(tab, { status: "loading" });
        setTimeout(() => Object.assign(tab, { status: "complete" }), 300);
      };
      expect(await go(url)).toMatch(/^! failed: .*nothing was opened; perhaps it is a download/);
    },
  );

  it("goes to another part of the page it is on", async () => {
    stage.browser.navigate = (tab, url) => Object.assign(tab, { url, status: "complete" });
    expect(await go("#rules")).toMatch(/has loaded$/);
  });

  it("says when the browser shows an error page instead", async () => {
    stage.listing = new Error("Frame with ID 0 is showing error page");
    expect(await go("/missing")).toMatch(/^! failed: .*error page/);
  });

  it("waits until the page has loaded, says where a redirect of the site led, and not for ever", async () => {
    stage.browser.navigate = (tab, url) => {
      Object.assign(tab, { status: "loading" });
      setTimeout(() => Object.assign(tab, { url: `${url}/`, status: "complete" }), 3_000);
    };
    const id = stage.call("page_navigate", { url: "/slow" });
    await vi.advanceTimersByTimeAsync(2_900);
    expect(stage.results(id)).toEqual([]);
    await vi.advanceTimersByTimeAsync(300);
    expect(await stage.result(id)).toBe(`the page ${ORIGIN}/slow/ has loaded (the site redirected there)`);

    stage.browser.navigate = (tab) => Object.assign(tab, { status: "loading" });
    const late = stage.call("page_navigate", { url: "/never" });
    await vi.advanceTimersByTimeAsync(30_500);
    expect(await stage.result(late)).toMatch(/^! timeout: /);
  });
});
