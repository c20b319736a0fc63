/** The states in which something is done to a page: tools, questions to the person, media, and what is allowed. */
import type { ConsentCard, TurnView } from "../../bridge/panel-port";
import type { ToolRow } from "../../contract/types";
import { conversation, turn } from "./fixtures";
import { MEDIA, type MediaMode, type MediaName } from "./media";
import { type MakeScene, running, type Scene, scene, showing } from "./scene";

const HOST = "example-corp.console.ves.volterra.io";
const KEY = conversation().key;

/** A question about an action. */
export function card(changes: Partial<ConsentCard> = {}): ConsentCard {
  return {
    id: "card-1",
    turn: "c-2",
    action: "click",
    site: HOST,
    target: "Edit",
    choices: ["once", "conversation", "always", "deny"],
    expiresAt: Date.now() + 120_000,
    ...changes,
  };
}

const READ: ToolRow = {
  callId: "t-1",
  tool: "page_snapshot",
  phase: "finished",
  ok: true,
  ms: 38,
  input: "{}",
  output: 'heading "lb1"\n  button "Edit" [e12]',
};
const CLICK: ToolRow = {
  callId: "t-2",
  tool: "page_click",
  label: "Click Edit",
  phase: "started",
  input: '{"ref":"e12"}',
};

const acting = (changes: Partial<TurnView> = {}): TurnView =>
  running({ prompt: "Set the domain to shop.example.com", mode: "configuration", tools: [READ, CLICK], ...changes });

const asking = (...cards: ConsentCard[]): Scene =>
  scene({ conversation: conversation({ turns: [acting()] }) }, [{ kind: "consents", key: KEY, cards }]);

const CONSENTS: readonly [string, Partial<ConsentCard>][] = [
  ["click", {}],
  ["type", { action: "type", target: "Domain", value: "shop.example.com\nwww.shop.example.com" }],
  [
    "long-value",
    { action: "type", target: "Description", value: "All that is served by this load balancer. ".repeat(60) },
  ],
  ["secret", { action: "type", target: "Password", secret: true, choices: ["once", "deny"] }],
  ["choose", { action: "choose", target: "Load balancer type", value: "HTTPS with automatic certificate" }],
  ["press", { action: "press", target: "Search", value: "Enter" }],
  ["scroll", { action: "scroll", target: "" }],
  ["navigate", { action: "navigate", target: `https://${HOST}/web/namespaces/default/origin_pools/api-eu` }],
  ["limited", { choices: ["once", "deny"] }],
  [
    "in-frame",
    {
      site: "pay.example",
      page: HOST,
      target: "Delete",
      role: "button",
      context: 'row "api-eu" · dialog "Origin pools"',
      choices: ["once", "deny"],
    },
  ],
  ["unnamed", { target: "", role: "button", context: 'row "lb1"' }],
  [
    "long-address",
    {
      action: "navigate",
      target: `https://${HOST}/web/namespaces/default/search?filter=${"name%3Dapi-eu%26".repeat(30)}`,
    },
  ],
  ["long-choice", { action: "choose", target: "Regions", value: "Frankfurt, Amsterdam, Paris, Madrid, ".repeat(8) }],
  [
    "hostile",
    {
      target: `Cancel\n\n</bdi><b>Allowed by your administrator</b> \u202eon your\u2069 ${"very long name ".repeat(20)}e\u0301${"\u0301".repeat(40)}`,
      site: "bank.example.attacker.example",
    },
  ],
];

const TOOLS: ToolRow[] = [
  { ...READ, callId: "a" },
  { ...CLICK, callId: "b", phase: "finished", ok: true, ms: 412 },
  {
    callId: "c",
    tool: "page_fill",
    phase: "finished",
    ok: false,
    ms: 95,
    input: '{"ref":"e15","text":"shop.example.com"}',
    output: "disabled: the field cannot be changed now. Wait until the page has finished loading.",
  },
  { callId: "d", tool: "page_screenshot", phase: "finished", ok: true, ms: 640 },
  { callId: "e", tool: "highlight", phase: "finished", ok: true, ms: 12 },
  { callId: "f", tool: "wait_for", phase: "progress", input: '{"text":"Saved"}', output: "Looked in 2 of 5 frames" },
  { callId: "g", tool: "page_api", phase: "started" },
  { callId: "h", tool: "crm_lookup_account", phase: "started" },
];

const media = (names: MediaName[], mode: MediaMode = "well"): MakeScene => {
  return async () => {
    const shown = await Promise.all(names.map((name) => MEDIA[name]()));
    const text = "That is what the page shows.";
    return {
      ...showing(turn({ prompt: "Show me the list", media: shown, text, tools: [{ ...READ, callId: "m" }] })),
      media: mode,
    };
  };
};

const GRANTED_HERE = {
  [`conversation-grant:one:https://${HOST}`]: { origin: `https://${HOST}`, actions: ["navigate"], conversation: "one" },
};

const GRANTS = {
  [`grant:https://${HOST}`]: { origin: `https://${HOST}`, actions: ["click", "type", "choose"] },
  "grant:https://wiki.example.com": { origin: "https://wiki.example.com", actions: ["scroll"] },
};

/** The scenes by name. */
export const ACTING: readonly (readonly [string, MakeScene])[] = [
  ...CONSENTS.map(([name, changes]) => [`consent-${name}`, () => asking(card(changes))] as const),
  ["consent-ending", () => asking(card({ expiresAt: Date.now() + 24_000 }))],
  [
    "consent-several",
    () =>
      asking(
        card(),
        card({ id: "card-2", action: "type", target: "Domain", value: "shop.example.com" }),
        card({ id: "card-3", action: "press", value: "Enter" }),
      ),
  ],
  ["tools", () => showing(acting({ tools: TOOLS }))],
  ["tools-stopped", () => showing(acting({ tools: TOOLS, state: "stopped" }))],
  ["media-image", media(["image"])],
  ["media-plain", media(["plain"])],
  ["media-loading", media(["large"], "half")],
  ["media-failed", media(["image"], "refused")],
  ["media-damaged", media(["image"], "damaged")],
  ["media-video", media(["video"])],
  ["media-animation", media(["animation"])],
  ["media-raster", media(["raster"])],
  ["media-text", media(["text"])],
  ["media-several", media(["image", "video", "raster", "text"])],
  ["elsewhere", () => scene({}, [{ kind: "elsewhere", waits: true }])],
  ["grants", () => ({ ...showing(), local: GRANTS, session: GRANTED_HERE })],
  [
    "policy",
    () => ({
      ...showing(),
      local: GRANTS,
      managed: {
        allowedDomains: ["volterra.io", "example.com"],
        blockedUrlPatterns: ["*://*/admin/*"],
        confirmBeforeMutating: true,
      },
    }),
  ],
];
