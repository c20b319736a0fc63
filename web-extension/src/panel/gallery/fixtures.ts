/** Things to show: pages, turns, conversations. Invented, but of the size and shape of real ones. */
import type { ConversationView, Link, PageChip, Preview, TurnView } from "../../bridge/panel-port";
import type { ConversationItem } from "../../contract/types";

const NOW = Date.now();
const HOUR = 3_600_000;
const HOST = "example-corp.console.ves.volterra.io";
const URL_LB = `https://${HOST}/web/namespaces/default/http_loadbalancers/lb1`;

export const page: Extract<PageChip, { state: "readable" }> = {
  state: "readable",
  tabId: 7,
  title: "lb1 — HTTP Load Balancers — Distributed Cloud",
  url: URL_LB,
  host: HOST,
  bytes: 12_480,
  selection: false,
  other: false,
  api: "captured",
};

export const ready: Extract<Link, { state: "ready" }> = {
  state: "ready",
  transport: "native",
  workerVersion: "0.1.0",
  model: { provider: "openai", model: "qwen3-14b", label: "qwen3-14b", offline: false, window: 32_768 },
};

export const offline: Link = {
  ...ready,
  model: { provider: "offline", model: "offline", label: "Offline", offline: true },
};

export const ANSWER = `**lb1** is an HTTP load balancer in the namespace \`default\`. It takes requests for
\`shop.example.com\` and sends them to two origin pools.

## What it does

| Setting | Value | Meaning |
| --- | --- | --- |
| Type | HTTPS with automatic certificate | renewed by the platform |
| Domains | \`shop.example.com\` | one name, no wildcard |
| WAF | \`shop-waf\` | **blocking** mode |

1. Requests to \`/api\` go to the pool **api-eu**.
2. Everything else goes to **web-eu**.

The same routes as they stand in the configuration:

\`\`\`yaml
routes:
  - prefix: /api          # first match wins
    pool: api-eu
    timeout: 30
  - prefix: /
    pool: web-eu
    retries: 2
\`\`\`

See the [guide to load balancers](https://docs.cloud.f5.com/docs/how-to/app-networking/http-load-balancer) for every field.
`;

/** A turn with the given differences. */
export function turn(changes: Partial<TurnView> = {}): TurnView {
  return {
    id: "c-1",
    prompt: "What does lb1 do?",
    mode: "educational",
    startedAt: NOW - 20_000,
    state: "done",
    text: ANSWER,
    tools: [],
    references: [],
    media: [],
    notices: [],
    page: { title: page.title, url: page.url },
    model: "qwen3-14b",
    ...changes,
  };
}

export const finished = turn({
  tools: [
    { callId: "t-1", tool: "page_text", label: "Read the page", phase: "finished", ok: true, ms: 42 },
    { callId: "t-2", tool: "search_docs", phase: "finished", ok: false, ms: 1830 },
  ],
  references: [
    { kind: "doc", title: "HTTP Load Balancer", url: "https://docs.cloud.f5.com/docs/how-to" },
    { kind: "console", title: "Origin pool api-eu", url: `https://${HOST}/web/origin_pools/api-eu` },
    { kind: "doc", title: "Not a link", url: "javascript:alert(1)" },
  ],
  usage: { inputTokens: 2204, outputTokens: 188 },
});

/** A conversation with the given differences. */
export function conversation(changes: Partial<ConversationView> = {}): ConversationView {
  const id = "11111111-2222-4333-8444-555555555555";
  const key = `key of ${changes.id ?? id}`;
  return { key, id, title: "What does lb1 do?", mode: "educational", turns: [finished], ephemeral: false, ...changes };
}

export const nothing: ConversationView = {
  key: "key of nothing",
  title: "",
  mode: "educational",
  turns: [],
  ephemeral: false,
};

/** Earlier conversations over several days. */
export function history(): ConversationItem[] {
  const titles = [
    "What does lb1 do?",
    "Why does the health check of api-eu fail?",
    "Summarise this page",
    "Which routes have no WAF policy? I need the complete list with their owners",
    "Set up a rate limit for /login",
    "What changed in the service policy?",
  ];
  return titles.map((title, index) => ({
    id: `${index}1111111-2222-4333-8444-555555555555`,
    title,
    mode: "educational",
    ...(index === 2 ? {} : { host: index === 4 ? "grafana.example.net" : HOST }),
    createdAt: NOW - index * 19 * HOUR,
    updatedAt: NOW - index * 19 * HOUR,
    turns: index + 1,
    running: index === 1,
    ...(index === 4 ? { branchOf: "01111111-2222-4333-8444-555555555555" } : {}),
  }));
}

export const preview: Preview = {
  token: "pin-1",
  snapshot: {
    v: 1,
    capturedAt: NOW,
    tabId: 7,
    url: URL_LB,
    path: "/web/namespaces/default/http_loadbalancers/lb1",
    title: page.title,
    truncated: true,
    ax: {
      role: "document",
      name: "lb1",
      children: [
        { role: "heading", name: "lb1", level: 1 },
        {
          role: "navigation",
          name: "Breadcrumb",
          children: [
            { role: "link", name: "Load Balancers", ref: "e3", url: "/web/namespaces/default/http_loadbalancers" },
          ],
        },
        {
          role: "form",
          name: "Details",
          omitted: 792,
          children: [
            { role: "textbox", name: "Domain", value: "shop.example.com", ref: "e9", required: true },
            { role: "textbox", name: "API token", value: "[redacted]", ref: "e10", readonly: true },
            { role: "checkbox", name: "HTTP redirect to HTTPS", checked: true, ref: "e11" },
            { role: "button", name: "Save changes", disabled: true, ref: "e12" },
          ],
        },
      ],
    },
    api: {
      url: "/api/config/namespaces/default/http_loadbalancers/lb1",
      status: 200,
      resourceType: "http_loadbalancers",
      body: {
        metadata: { name: "lb1", namespace: "default" },
        spec: { domains: ["shop.example.com"], tls: { private_key: "[redacted]" } },
      },
      truncated: false,
    },
  },
  report: {
    bytes: 61_204,
    budget: 65_536,
    nodesSeen: 1204,
    nodesSent: 412,
    redacted: ["/ax/children/2/children/1/value", "/api/body/spec/tls/private_key"],
    frames: 3,
    framesUnreadable: 1,
  },
};
