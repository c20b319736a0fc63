import { describe, expect, it } from "vitest";
import {
  hidesLabelled,
  REDACTED,
  redactedPointers,
  redactJson,
  redactLabelled,
  redactText,
  redactUrl,
  TOO_DEEP,
} from "./redact";
import { secrecyOf } from "./secret-words";
import type { AxNode, FlatTree } from "./tree";

/** A small repeatable source of randomness (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const SECRET_KEYS =
  "password passwd pwd passphrase apiKey api_key api-key apikey clientSecret client_secret privateKey private_key token accessToken access_token refreshToken idToken authorization Authorization cookie Cookie set-cookie bearer credentials secret session sessionId session_token webhook_secret signingKey awsSecretAccessKey secret_access_key dbPassword DB_PASSWORD userPass x-api-key otp".split(
    " ",
  );
const PLAIN_KEYS =
  "name domains port spec metadata waf_mode idle_timeout keyword tokenizer monkey author authority secretary passenger session_affinity session_timeout max_tokens cookie_name token_type secretName password_policy passwordMinLength cache_key_count".split(
    " ",
  );

describe("secrecyOf", () => {
  it.each(SECRET_KEYS)("%s is secret", (key) => expect(secrecyOf(key)).toBe("secret"));
  it.each(PLAIN_KEYS)("%s is plain", (key) => expect(secrecyOf(key)).toBe("plain"));
});

describe("redactJson", () => {
  it("hides by key, below secret keys, and keeps what only describes", () => {
    const found = redactJson({
      apiKey: "abc",
      pin: 1234,
      enabled: true,
      clear_secret_info: { provider: "vault", url: "string:///c2VjcmV0", nested: [{ deep: "x1" }] },
      credentials: [{ name: "ci", value: "v" }],
      password: "",
      certificate_url: "string:///LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t",
    });
    expect(found).toEqual({
      apiKey: REDACTED,
      pin: REDACTED,
      enabled: true,
      clear_secret_info: { provider: "vault", url: REDACTED, nested: [{ deep: REDACTED }] },
      credentials: [{ name: "ci", value: REDACTED }],
      password: "",
      certificate_url: REDACTED,
    });
  });

  it("hides what stands beside the name of a secret", () => {
    const pair = (name: string) => ({ name, value: "hunter2" });
    expect(redactJson([pair("Authorization"), pair("x-api-key"), pair("X-Request-Signature"), pair("Accept")])).toEqual(
      [
        { name: "Authorization", value: REDACTED },
        { name: "x-api-key", value: REDACTED },
        { name: "X-Request-Signature", value: REDACTED },
        { name: "Accept", value: "hunter2" },
      ],
    );
    expect(redactJson({ header_name: "Cookie", Value: "a", Content: ["b"], note: "shown" })).toEqual({
      header_name: "Cookie",
      Value: REDACTED,
      Content: [REDACTED],
      note: "shown",
    });
    expect(redactJson({ name: "password_policy", value: "strict" })).toEqual({
      name: "password_policy",
      value: "strict",
    });
  });

  it("plays no prototype tricks and cuts what is too deep", () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"a":1}},"ok":1}');
    const copy = redactJson(hostile);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.keys(Object(copy))).toEqual(["constructor", "ok"]);
    expect("polluted" in {}).toBe(false);
    const deep: unknown = JSON.parse(`${"[".repeat(5000)}1${"]".repeat(5000)}`);
    expect(JSON.stringify(redactJson(deep))).toContain(TOO_DEEP);
    expect(redactJson("a\ud800b")).toBe("a\ufffdb");
  });

  it("S24: no planted canary survives, wherever it stands", () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = seeded(seed);
      const canary = makeCanary(random);
      const planted = plant(random, canary, 0);
      const text = JSON.stringify(redactJson(planted));
      expect(text.includes(canary), `seed ${seed}: ${JSON.stringify(planted)}`).toBe(false);
      expect(text).toContain("ordinary-value");
    }
  });
});

function pick<T>(random: (below: number) => number, items: readonly T[]): T {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

function makeCanary(random: (below: number) => number): string {
  const letters = Array.from({ length: 20 + random(30) }, () => pick(random, [...ALPHABET]));
  return `cA9${letters.join("")}`;
}

/** A random structure with the canary under a secret key or inside a text with the shape of a secret. */
function plant(random: (below: number) => number, canary: string, depth: number): unknown {
  const filler = { [pick(random, PLAIN_KEYS)]: { x: "y" }, name: "ordinary-value", list: [1, true, null] };
  if (depth < random(6)) {
    const inner = plant(random, canary, depth + 1);
    return random(2) === 0 ? { ...filler, child: inner } : { ...filler, children: [filler, inner] };
  }
  const key = pick(random, SECRET_KEYS);
  const shapes: unknown[] = [
    { [key]: canary },
    { [key]: [canary, { value: canary }] },
    { [key]: { info: { url: canary } } },
    { note: `Authorization: Bearer ${canary}` },
    { note: `see https://user:${canary}@example.com/a` },
    { header: { name: key, value: canary } },
    { env: [{ key, values: ["x", canary] }] },
    { form: { label: key, default: { text: canary } } },
    { link: `https://example.com/cb?x=1&${key.toLowerCase()}=${canary}#${key}=${canary}` },
    { log: `${key}=${canary}, done` },
    { log: `{"${key}": "${canary} with spaces"}` },
    { jwt: `eyJhbGciOiJIUzI1NiJ9.${canary}.${canary}` },
    { pem: `-----BEGIN RSA PRIVATE KEY-----\n${canary}\n-----END RSA PRIVATE KEY-----` },
    { pem: `text -----BEGIN PRIVATE KEY----- ${canary}` },
    { url: `string:///${canary}` },
    { header: `Cookie: theme=dark; sid=${canary}; b=${canary}` },
    { github: `ghp_${canary}` },
    { openai: `sk-${canary}` },
  ];
  return { ...filler, planted: pick(random, shapes) };
}

describe("redactText", () => {
  it.each([
    ["Idle timeout: 30 s", "Idle timeout: 30 s"],
    ["Password: required", "Password: required"],
    ["Basic authentication and token refresh", "Basic authentication and token refresh"],
    ["lb1.example.com, www.example.com", "lb1.example.com, www.example.com"],
    ["uid 5f0a4c1e-7f6b-4b0e-9f27-7a0b3f2f9c11", "uid 5f0a4c1e-7f6b-4b0e-9f27-7a0b3f2f9c11"],
    ["set password=hunter2 now", `set password=${REDACTED} now`],
    ["API key: 8f3a9c1b77", `API key: ${REDACTED}`],
    ["use Bearer abc.DEF-123456 here", `use Bearer ${REDACTED} here`],
    ["AKIAIOSFODNN7EXAMPLE", REDACTED],
    ["postgres://app:s3cr3t@db:5432/x", `postgres://${REDACTED}@db:5432/x`],
  ])("%s", (text, shown) => expect(redactText(text)).toBe(shown));

  it("is idempotent", () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = seeded(seed);
      const once = redactText(JSON.stringify(plant(random, makeCanary(random), 0)));
      expect(redactText(once)).toBe(once);
    }
  });

  it("stays linear on hostile text", () => {
    const started = performance.now();
    for (const piece of ["a", "a ", "a=", "-----BEGIN A", "cookie:a=b;", "eyJ", "https://a:", "x y ", '"a":"']) {
      redactText(piece.repeat(60_000 / piece.length));
    }
    expect(performance.now() - started).toBeLessThan(4000);
  });
});

describe("redactUrl", () => {
  it.each([
    ["/a/b?page=2&tab=routes#top", "/a/b?page=2&tab=routes#top"],
    ["/a?access_token=x&id=7", `/a?access_token=${REDACTED}&id=7`],
    ["/a?sig=Ab12Cd34Ef56", `/a?sig=${REDACTED}`],
    [`/a?q=${"x".repeat(65)}`, `/a?q=${REDACTED}`],
    ["/cb#id_token=abc&state=s1", `/cb#id_token=${REDACTED}&state=s1`],
    ["https://u:p@example.com/a", `https://${REDACTED}@example.com/a`],
    ["/reset/token/9f8e7d6c5b4a3921", `/reset/token/${REDACTED}`],
    ["/a?%E0%A4%A=1", "/a?%E0%A4%A=1"],
    ["/a?x=%22Bearer%20abcDEF123456%22", `/a?x=${REDACTED}`],
  ])("%s", (url, shown) => expect(redactUrl(url)).toBe(shown));
});

describe("redactLabelled", () => {
  const tree = (...rows: [AxNode, number][]): FlatTree => ({
    nodes: rows.map(([node]) => node),
    parents: rows.map(([, parent]) => parent),
    weights: rows.map(() => 1),
  });

  it("hides a value beside its label and below its column", () => {
    const page = tree(
      [{ role: "WebArea" }, -1],
      [{ role: "term", name: "Client secret" }, 0],
      [{ role: "definition", name: "q7Xw92LmPd" }, 0],
      [{ role: "term", name: "Port" }, 0],
      [{ role: "definition", name: "8443" }, 0],
      [{ role: "table" }, 0],
      [{ role: "row" }, 5],
      [{ role: "columnheader", name: "User" }, 6],
      [{ role: "columnheader", name: "API token" }, 6],
      [{ role: "row" }, 5],
      [{ role: "cell", name: "dana" }, 9],
      [{ role: "cell" }, 9],
      [{ role: "text", name: "tok7Xw92LmPd" }, 11],
    );
    redactLabelled(page);
    expect(page.nodes.map((node) => node.name)).toEqual([
      undefined,
      "Client secret",
      REDACTED,
      "Port",
      "8443",
      undefined,
      undefined,
      "User",
      "API token",
      undefined,
      "dana",
      undefined,
      REDACTED,
    ]);
  });

  it("keeps words, counts and plain values", () => {
    for (const [label, value] of [
      ["Password", "Changed 3 days ago"],
      ["Tokens", "12345"],
      ["Cookie name", "JSESSIONID1"],
      ["Domain", "lb1.example.com"],
      ["Secret", "my-app-secret"],
    ] as const)
      expect(hidesLabelled(label, value)).toBe(false);
  });
});

it("points at every hidden string", () => {
  expect(redactedPointers({ a: [{ "x/y~z": `Bearer ${REDACTED}` }], b: "plain", c: REDACTED })).toEqual([
    "/a/0/x~1y~0z",
    "/c",
  ]);
});
