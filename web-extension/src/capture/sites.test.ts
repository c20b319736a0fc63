import { describe, expect, it } from "vitest";
import { matchResource, namesThePage, sessionKeyOf, siteMatches } from "./sites";

describe("sessionKeyOf", () => {
  const realm = (host: string, name: string) => `https://${host}/auth/realms/${name}/protocol/openid-connect/auth`;
  it.each([
    ["https://example-corp.console.ves.volterra.io/web/x", "example-corp|production"],
    ["https://EXAMPLE-corp.console.ves.volterra.io/", "example-corp|production"],
    ["https://example-corp.staging.volterra.us/web/home", "example-corp|staging"],
    ["https://example-id-005.console.ves.volterra.io/web/home?iss=x#y", "example-id-005|production"],
    [realm("login.ves.volterra.io", "example-corp-abc123"), "example-corp|production"],
    [realm("login-staging.volterra.us", "example-corp-x"), "example-corp|staging"],
    [realm("login-eu.volterra.io", "example-corp-x"), "example-corp|production"],
    ["https://example-corp.ves.volterra.io/", "https://example-corp.ves.volterra.io"],
    ["https://192.168.1.10/web/home", "https://192.168.1.10"],
    ["http://127.0.0.1:8080/a?b", "http://127.0.0.1:8080"],
    ["https://evil.example?x.volterra.us/", "https://evil.example"],
    ["https://acme.console.ves.volterra.io.evil.example/", "https://acme.console.ves.volterra.io.evil.example"],
  ])("%s is %s", (url, key) => expect(sessionKeyOf(url)).toBe(key));

  it.each([
    "http://example-corp.console.ves.volterra.io/web/x",
    "https://example-corp.console.ves.volterra.io:8443/web/x",
    "https://console.ves.volterra.io/web/devportal/domain",
    "https://a.b.console.ves.volterra.io/",
    "https://-bad.console.ves.volterra.io/",
    realm("login.ves.volterra.io", "volterra"),
    "https://login.ves.volterra.io/",
    "chrome://settings",
    "about:blank",
    "file:///etc/hosts",
    "not a url",
    "",
  ])("%s has none", (url) => expect(sessionKeyOf(url)).toBeNull());
});

describe("matchResource", () => {
  const page = "/web/namespaces/default/http_loadbalancers/lb1";
  it("prefers the response that names the resource of the page", () => {
    const lb1 = matchResource("/api/config/namespaces/default/http_loadbalancers/lb1", page);
    const pool = matchResource("/api/config/namespaces/default/origin_pools/pool1", page);
    const lb2 = matchResource("/api/config/namespaces/default/http_loadbalancers/lb2", page);
    expect(lb1).toEqual({ rank: 5, resourceType: "http_loadbalancers" });
    expect(pool.rank).toBe(-1);
    expect(lb2.rank).toBe(-1);
    expect(namesThePage(lb1)).toBe(true);
    expect(namesThePage(lb2)).toBe(false);
  });

  it("takes a resource opened from the list of its type", () => {
    const list = "/web/namespaces/default/http_loadbalancers";
    expect(matchResource("/api/config/namespaces/default/http_loadbalancers/lb2", list).rank).toBe(2);
    expect(matchResource("/api/config/namespaces/default/http_loadbalancers", list).rank).toBe(3);
  });

  it("compares the last segments on any other site", () => {
    expect(matchResource("/v1/users/42", "/users/42").rank).toBe(3);
    expect(matchResource("/v1/users/42", "/users/42/edit").rank).toBe(1);
    expect(matchResource("/v1/me", "/users/42").rank).toBe(0);
    expect(matchResource("/v1/caf%C3%A9", "/shops/café").rank).toBe(3);
  });
});

it("builds match patterns for https only", () => {
  expect(siteMatches.length).toBeGreaterThan(0);
  for (const match of siteMatches) expect(match).toMatch(/^https:\/\/\*\.[a-z.]+\/\*$/);
});
