/** The browser's half of the attack list; each test is named after its row. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { EXTENSION_URL } from "../harness/browser";
import { EXTENSION } from "../harness/paths";
import { CONSOLE_HOST, CONSOLE_PAGE, portOf, startConsole, startSite } from "../harness/site";
import { test } from "../harness/stage";

test("S7, S8: a page on a name that leads to the worker gets 403 for GET, POST and WebSocket", async ({ set }) => {
  const stage = await set({ args: ["--host-resolver-rules=MAP evil.test 127.0.0.1"], sites: [] });
  const page = await (await stage.browser()).context.newPage();
  const seen = statusOfSocket(page);
  // The page comes from its own server; then the name leads to the worker at the same port.
  const port = await loadOnce(page, "evil.test");
  await stage.home.serve("--port", String(port));

  const answers = await page.evaluate(async (own) => {
    const get = await fetch("/health");
    const post = await fetch("/health", { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" });
    const socket = await new Promise<string>((resolve) => {
      const opening = new WebSocket(`ws://${own}/bridge`);
      opening.onopen = () => resolve("open");
      opening.onerror = () => resolve("refused");
    });
    return { get: get.status, body: await get.text(), post: post.status, socket };
  }, `evil.test:${port}`);
  expect(answers).toEqual({ get: 403, body: "", post: 403, socket: "refused" });
  expect(await seen).toBe(403);
});

test("S11: a public page cannot reach the worker; the extension can", async ({ set }) => {
  const site = await startConsole();
  const stage = await set({ sites: [site], args: [`--ip-address-space-overrides=127.0.0.1:${site.port}=public`] });
  const { page, panel } = await stage.begin();
  const { port } = await stage.home.running();
  const tried = await page.evaluate(async (authority) => {
    const fetched = await fetch(`http://${authority}/health`, { mode: "no-cors" }).then(
      () => "answered",
      () => "refused",
    );
    const socket = await new Promise<string>((resolve) => {
      const opening = new WebSocket(`ws://${authority}/bridge`);
      opening.onopen = () => resolve("open");
      opening.onerror = () => resolve("refused");
    });
    return { fetched, socket };
  }, `127.0.0.1:${port}`);
  expect(tried).toEqual({ fetched: "refused", socket: "refused" });

  const status = await panel.page.evaluate(
    (authority) =>
      new Promise<string>((resolve) => {
        const opening = new WebSocket(`ws://${authority}/bridge`);
        opening.onopen = () => resolve("open");
        opening.onerror = () => resolve("refused");
      }),
    `127.0.0.1:${port}`,
  );
  expect(status).toBe("open");
});

const MARK = "sidewire:api-hook:1";

test("S23: what a page forges as its API response is its own word, bounded, and of no other origin", async ({
  set,
}) => {
  const stage = await set();
  const { page, panel } = await stage.begin();
  await page.locator("html[data-shown=lb1]").waitFor();
  await page.evaluate(
    ({ mark, resource, elsewhere }) => {
      const forge = (url: string, body: unknown) =>
        postMessage({ mark, kind: "response", url, status: 200, text: JSON.stringify(body) }, location.origin);
      forge(elsewhere, { stolen: "forged-of-another-origin" });
      forge(resource, { huge: "forged-too-large".repeat(40_000) });
      for (let count = 0; count < 500; count += 1) forge(`${resource}?n=${count}`, { flood: `forged-flood-${count}` });
    },
    {
      mark: MARK,
      resource: `https://${CONSOLE_HOST}/api/config/namespaces/default/http_loadbalancers/lb1`,
      elsewhere: "https://other-corp.console.ves.volterra.io/api/config/namespaces/default/http_loadbalancers/lb1",
    },
  );
  const turn = await panel.ask("What is this?");
  const call = await stage.model.call();
  call.say("A load balancer.");
  await turn.done();
  expect(call.raw).not.toContain("forged-of-another-origin");
  expect(call.raw).not.toContain("forged-too-large");
  expect(Buffer.byteLength(call.question)).toBeLessThan(100_000);
  // Whatever it said stays inside the fence: nothing of it is in the system prompt.
  expect(call.texts("system").join("\n")).not.toContain("forged");
});

const CANARIES = {
  jwt: "eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOiJqd3QifQ.c2lnbmF0dXJlLWNhbmFyeQ",
  bearer: "canaryBearer8fQ2kLs0Zp31xW",
  github: "ghp_canary0123456789abcdefghijABCDEFGH",
  password: "canary-Typed-Passw0rd!",
  hidden: "canary-hidden-csrf-77",
  apiKey: "canaryApiKey51mWq9",
  nested: "canary-nested-client-secret-3",
  query: "canaryQueryToken8812",
  cookie: "canaryCookie99182",
} as const;

test("S24: secrets in a page, its fields, its address and its API response never reach the model", async ({ set }) => {
  const path = "/web/namespaces/default/http_loadbalancers/lb7";
  const html = `<title>lb7</title><h1>lb7</h1><p>Authorization: Bearer ${CANARIES.bearer}</p><p>${CANARIES.jwt}</p>
    <pre>export TOKEN=${CANARIES.github}
Set-Cookie: session=${CANARIES.cookie}; Secure</pre>
    <form><label>Password <input type="password" value="${CANARIES.password}"></label>
    <input type="hidden" name="csrf_token" value="${CANARIES.hidden}">
    <label>API key <input type="text" value="${CANARIES.apiKey}"></label></form>
    <a href="/next?access_token=${CANARIES.query}">Next</a><p>Visible fact</p>
    <script>fetch("/api/config/namespaces/default/http_loadbalancers/lb7").then((got) => got.json())
      .then((got) => { document.documentElement.dataset.shown = got.metadata.name; })</script>`;
  const json = {
    metadata: { name: "lb7" },
    spec: { fact: "fetched fact", apiKey: CANARIES.apiKey, auth: { oauth: { clientSecret: CANARIES.nested } } },
    headers: [{ name: "Authorization", value: `Bearer ${CANARIES.bearer}` }],
    next: `https://${CONSOLE_HOST}/more?token=${CANARIES.query}`,
  };
  const api = "/api/config/namespaces/default/http_loadbalancers/lb7";
  const stage = await set({
    sites: [await startSite(CONSOLE_HOST, { [path]: { html }, [api]: { json: JSON.stringify(json) } })],
  });
  const { page, panel } = await stage.begin(
    `https://${CONSOLE_HOST}${path}?id_token=${CANARIES.jwt}#${CANARIES.query}`,
  );
  await page.locator("html[data-shown=lb7]").waitFor();
  const turn = await panel.ask("What is this?");
  const call = await stage.model.call();
  call.say("A load balancer.");
  await turn.done();
  expect(call.question).toContain("Visible fact");
  expect(call.question).toContain("fetched fact");
  for (const [name, canary] of Object.entries(CANARIES)) expect(call.raw, name).not.toContain(canary);
});

test("S24: the secrets of the sample console never reach the model", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const turn = await panel.ask("What is this?");
  const call = await stage.model.call();
  call.say("A load balancer.");
  await turn.done();
  expect(call.question).toContain("origin_auth");
  expect(call.raw).not.toMatch(/canary-|Y2FuYXJ5/);
});

const HOSTILE_ANSWER = `Text before.

<script>globalThis.attacked = "script"</script>
<img src="https://evil.test/pixel.png" onerror="globalThis.attacked = 'onerror'">
<iframe src="https://evil.test/frame"></iframe>
<svg onload="globalThis.attacked = 'svg'"></svg>
<style>@import "https://evil.test/style.css"; body { background: url(https://evil.test/background) }</style>
<form action="https://evil.test/form"><button>Send</button></form>

![remote picture](https://evil.test/image.png "title")
[javascript link](javascript:globalThis.attacked='link') [data link](data:text/html,evil) [good link](https://docs.example.com/a)
<a href="https://evil.test" onclick="globalThis.attacked='click'" style="position:fixed;inset:0">raw link</a>

right-to-left \u202Egnp.exe\u202C end

\`\`\`html
<script>globalThis.attacked = "code"</script>
\`\`\`

Text after.`;

test("S26: a hostile answer is inert in the panel and no request leaves", async ({ set }) => {
  const stage = await set();
  const { panel } = await stage.begin();
  const requests: string[] = [];
  (await stage.browser()).context.on("request", (request) => requests.push(request.url()));
  const turn = await panel.ask("Attack me.");
  const call = await stage.model.call();
  for (const part of HOSTILE_ANSWER.match(/[\s\S]{1,7}/g) ?? []) call.write(part);
  call.finish();
  await turn.done();
  await turn.shows("Text after.");

  expect(await panel.page.evaluate(() => Reflect.get(globalThis, "attacked"))).toBeUndefined();
  for (const tag of ["script", "img", "iframe", "svg", "style", "form", "[onclick]", "[onerror]", "[style]"]) {
    expect(await turn.answer.locator(`${tag}:not(.code *)`).count(), tag).toBe(0);
  }
  const links = await turn.answer.getByRole("link").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  for (const href of links) expect(href).toMatch(/^(https?|mailto):/);
  expect(links).toContain("https://docs.example.com/a");
  await turn.shows("[U+202E]");
  expect(requests.filter((url) => !url.startsWith(EXTENSION_URL))).toEqual([]);
});

test("S27: no page or other extension may speak to ours, and the package asks for nothing beyond its purpose", async ({
  set,
}) => {
  const manifest: unknown = JSON.parse(await readFile(join(EXTENSION, "manifest.json"), "utf8"));
  expect(manifest).not.toHaveProperty("externally_connectable");
  expect(manifest).not.toHaveProperty("web_accessible_resources");
  expect(JSON.stringify(manifest)).not.toMatch(/<all_urls>|"debugger"|"tabs"|"cookies"|"webRequest/);

  const stage = await set();
  const { page } = await stage.begin();
  const reach = await page.evaluate(async (origin) => {
    const runtime: unknown = Reflect.get(Reflect.get(globalThis, "chrome") ?? {}, "runtime");
    const panel = await fetch(`${origin}/panel.html`).then(
      () => "read",
      () => "refused",
    );
    return { runtime: typeof runtime, panel };
  }, EXTENSION_URL);
  expect(reach).toEqual({ runtime: "undefined", panel: "refused" });
});

/** Without boxes of their own: Chromium itself dies of laying out so deep a tree. */
const DEEP_PAGE = `<title>deep</title><h1>deep</h1><p>Fact on top</p><div id="deep"></div><script>
  let at = document.querySelector("#deep");
  for (let level = 0; level < 10000; level += 1) {
    const next = document.createElement("section");
    next.style.display = "contents";
    at.append(next);
    at = next;
  }
  at.textContent = "bottom";
  document.querySelector("h1").append(" half \\ud83d of a pair \\udc00");
  fetch("/api/config/namespaces/default/http_loadbalancers/lb1").then((got) => got.text()).then(() => {
    document.documentElement.dataset.shown = "deep";
  });
</script>`;

test("lone surrogates and trees of 10,000 levels still give an answered turn", async ({ set }) => {
  const json = `{"fact":"half \\ud83d of a pair","deep":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
  const site = await startSite(CONSOLE_HOST, {
    [new URL(CONSOLE_PAGE).pathname]: { html: DEEP_PAGE },
    "/api/config/namespaces/default/http_loadbalancers/lb1": { json },
  });
  const stage = await set({ sites: [site] });
  const { page, panel } = await stage.begin();
  await page.locator("html[data-shown=deep]").waitFor();
  const turn = await panel.ask("What \ud83d is this?");
  const call = await stage.model.call();
  call.say("Deep.");
  await turn.answers("Deep.");
  expect(call.question).toContain("Fact on top");
  expect(call.question).toContain("of a pair");
});

/** Opens a page of a server that is gone when this returns; gives its port. */
async function loadOnce(page: Page, host: string): Promise<number> {
  const server = createServer((_request, response) => response.end("<title>evil</title>"));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  const port = portOf(server.address());
  await page.goto(`http://${host}:${port}/`);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  return port;
}

/** The status of the first upgrade to a WebSocket that the page tries. */
async function statusOfSocket(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  return new Promise((resolve) => {
    session.on("Network.webSocketHandshakeResponseReceived", ({ response }) => resolve(response.status));
    session.on("Network.webSocketFrameError", ({ errorMessage }) => {
      const status = /(\d{3})/.exec(errorMessage)?.[1];
      if (status !== undefined) resolve(Number(status));
    });
  });
}
