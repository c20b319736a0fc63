import { describe, expect, it, vi } from "vitest";
import { FakeChrome } from "../shared/testing/fake-chrome";
import { fits, isWithin } from "./patterns";
import { allows, loadPolicy } from "./policy";

const url = (text: string): URL => new URL(text);

describe("domains", () => {
  const DOMAIN = "volterra.us";

  it.each([
    "https://volterra.us/",
    "https://a.volterra.us/x",
    "https://A.VOLTERRA.US./x",
    "https://a.b.volterra.us:8443/?q=1",
    "http://user:pw@a.volterra.us/",
  ])("%s is within", (address) => expect(isWithin(url(address).hostname, [DOMAIN])).toBe(true));

  it.each([
    "https://evil.example?x=volterra.us",
    "https://evil.example/?x.volterra.us/",
    "https://evil.example/.volterra.us",
    "https://evil.example#volterra.us",
    "https://volterra.us.evil.example/",
    "https://notvolterra.us/",
    "https://volterra.us@evil.example/",
    "https://a.volterra.us%2eevil.example/",
    "https://volterra.usa/",
    "https://us/",
  ])("N17 (finding 6): %s is not", (address) => {
    const parsed = URL.parse(address);
    if (parsed !== null) expect(isWithin(parsed.hostname, [DOMAIN])).toBe(false);
  });

  it("N17: wherever a domain occurs in an address but in its host, it does not count", () => {
    const places = ["/", "/?", "#", "/a?b=", "/%2f", "/..;/", "/@", "/x:y@", "//", "/\\", "?a=1&b="];
    const texts = [DOMAIN, `.${DOMAIN}`, `a.${DOMAIN}`, `https://${DOMAIN}`, encodeURIComponent(`https://${DOMAIN}/`)];
    for (const place of places)
      for (const text of texts) {
        const { hostname } = url(`https://evil.example${place}${text}`);
        expect(isWithin(hostname, [DOMAIN]), hostname).toBe(false);
      }
  });

  it.each(["volterra.us", "*.volterra.us", ".volterra.us", "https://volterra.us/", "VOLTERRA.US", " volterra.us "])(
    "the entry %j means the domain and what is below it",
    (entry) => {
      expect(isWithin("a.volterra.us", [entry])).toBe(true);
      expect(isWithin("volterra.us", [entry])).toBe(true);
      expect(isWithin("evil.example", [entry])).toBe(false);
    },
  );

  it("an entry that is no domain allows nothing", () => {
    for (const entry of ["", "*", "*.", "https://", "//", "a*b.example"])
      expect(isWithin("evil.example", [entry])).toBe(false);
  });

  it("reads names of other scripts as hosts", () => {
    expect(isWithin(url("https://bücher.example/").hostname, ["bücher.example"])).toBe(true);
  });
});

describe("6b461f7: blocked addresses, however they are written", () => {
  it.each([
    ["*://*.example.com/admin/*", "https://example.com/admin/users"],
    ["*://*.example.com/admin/*", "http://a.b.example.com/admin/"],
    ["*://*.example.com/admin/*", "https://a.example.com/%61dmin/users"],
    ["*://*.example.com/admin/*", "https://a.example.com/%2561dmin/users"],
    ["*://*.example.com/admin/*", "https://a.example.com//admin/users"],
    ["*://*.example.com/admin/*", "https://a.example.com/x/../admin/users"],
    ["*://*.example.com/admin/*", "https://a.example.com/ADMIN/users"],
    ["*://*.example.com/admin/*", "https://a.example.com./admin/users"],
    ["*://*.example.com/admin/*", "https://a.example.com/admin/%zz?x=%"],
    ["https://example.com", "https://example.com/anything?at=all"],
    ["https://example.com:8443/*", "https://example.com:8443/x"],
    ["*://*/secret*", "https://any.example/secrets?x"],
    ["/web/*/delete", "https://a.example/web/ns/delete"],
    ["delete=true", "https://a.example/x?a=1&DELETE=true"],
    ["delete=true", "https://a.example/x?delete%3Dtrue"],
    ["logout", "https://a.example/#/logout"],
  ])("%s blocks %s", (pattern, address) => expect(fits(pattern, url(address))).toBe(true));

  it.each([
    ["*://*.example.com/admin/*", "https://example.com/"],
    ["*://*.example.com/admin/*", "https://evil.example/?x=https://example.com/admin/"],
    ["*://*.example.com/admin/*", "https://notexample.com/admin/x"],
    ["https://example.com/*", "http://example.com/x"],
    ["https://example.com/*", "https://a.example.com/x"],
    ["https://example.com:8443/*", "https://example.com/x"],
    ["*://*/secret", "https://any.example/secrets"],
    ["", "https://a.example/"],
  ])("%s does not block %s", (pattern, address) => expect(fits(pattern, url(address))).toBe(false));

  it("takes linear time, whatever the pattern and the address are", () => {
    const long = `https://a.example/${"a".repeat(100_000)}`;
    const started = performance.now();
    expect(fits(`${"a*".repeat(500)}b`, url(long))).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("policy", () => {
  const address = url("https://a.example.com/admin/x");

  it("without entries restricts nothing", () => {
    expect(allows({ allowedDomains: [], blockedUrlPatterns: [], confirmBeforeMutating: false }, address)).toBe(true);
  });

  it("N26: allowedDomains is enforced, and what is blocked is blocked within them too", () => {
    const policy = { allowedDomains: ["example.com"], blockedUrlPatterns: [], confirmBeforeMutating: false };
    expect(allows(policy, address)).toBe(true);
    expect(allows(policy, url("https://example.org/"))).toBe(false);
    expect(allows({ ...policy, blockedUrlPatterns: ["*://*/admin/*"] }, address)).toBe(false);
    expect(allows({ ...policy, allowedDomains: ["*"] }, address)).toBe(false);
  });

  it("is read from managed storage, and nonsense in it is left out", async () => {
    const browser = new FakeChrome();
    vi.stubGlobal("chrome", browser);
    expect(await loadPolicy()).toEqual({ allowedDomains: [], blockedUrlPatterns: [], confirmBeforeMutating: false });
    await browser.storage.managed.set({
      allowedDomains: ["a.example", 7],
      blockedUrlPatterns: "x",
      confirmBeforeMutating: true,
    });
    expect(await loadPolicy()).toEqual({
      allowedDomains: ["a.example"],
      blockedUrlPatterns: [],
      confirmBeforeMutating: true,
    });
  });
});
