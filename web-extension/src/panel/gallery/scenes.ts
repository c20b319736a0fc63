/** What the service worker says in each state that the panel has to show. */
import type { LinkFault, PageChip } from "../../bridge/panel-port";
import type { ChatErrorReason } from "../../contract/types";
import { FAULT_HELP } from "../link-faults";
import { ACTING } from "./acting";
import { HOSTILE } from "./attacks";
import { ANSWER, conversation, finished, nothing, offline, page, ready, turn } from "./fixtures";
import { type MakeScene, running, type Scene, scene, showing } from "./scene";

const HALF = ANSWER.slice(0, 420);

const failures: ChatErrorReason[] = [
  "bridge-disconnected",
  "bridge-unresponsive",
  "no-worker",
  "session-busy",
  "session-disposed",
  "token-expired",
  "token-expiring",
  "provider-auth",
  "provider-4xx",
  "provider-5xx",
];

const faultNames = Object.keys(FAULT_HELP);
const isFault = (name: string): name is LinkFault => faultNames.includes(name);

const unreadable = (fault: Extract<PageChip, { state: "unreadable" }>["fault"]): PageChip => ({
  state: "unreadable",
  fault,
  ...(fault === "needs-permission" ? { host: "wiki.example.com", origin: "https://wiki.example.com" } : {}),
});

function longConversation(count: number): Scene {
  const turns = Array.from({ length: count }, (_, index) =>
    turn({
      id: `c-${index}`,
      prompt: `Question ${index}`,
      text: `Answer **${index}**.\n\n${"More words. ".repeat(index % 40)}`,
    }),
  );
  return scene({ conversation: conversation({ turns }) });
}

/** Every scene by name. */
export const SCENES: ReadonlyMap<string, MakeScene> = new Map<string, MakeScene>([
  ["connecting", () => ({ events: [{ kind: "link", link: { state: "connecting" } }] })],
  ...faultNames
    .filter(isFault)
    .map((fault): [string, () => Scene] => [
      `fault-${fault}`,
      () => scene({ link: { state: "down", fault, detail: "exit status 3" }, conversation: nothing }),
    ]),
  ["fault-later", () => scene({ link: { state: "down", fault: "worker-unreachable" } })],
  ["offline", () => scene({ link: offline, conversation: nothing })],
  ["empty", () => scene({ conversation: nothing })],
  ["empty-no-page", () => scene({ conversation: nothing, page: unreadable("restricted-page") })],
  ["thinking", () => showing(finished, running({ startedAt: Date.now() - 8000 }))],
  [
    "streaming",
    () =>
      showing(
        running({ text: HALF, tools: [{ callId: "t", tool: "page_text", label: "Read the page", phase: "started" }] }),
      ),
  ],
  ["answer", () => showing(finished)],
  [
    "notices",
    () =>
      showing(
        turn({
          text: "A long answer …",
          clipped: true,
          notices: ["history-trimmed", "compacted", "page-trimmed", "step-limit", "withheld"],
        }),
      ),
  ],
  ["stopped", () => showing(turn({ state: "stopped", text: HALF }))],
  ...failures.map((reason): [string, () => Scene] => [
    `error-${reason}`,
    () => showing(turn({ state: "failed", reason, text: "" })),
  ]),
  ["error-unknown", () => showing(turn({ state: "failed", text: "" }))],
  [
    "error-partial",
    () => showing(turn({ state: "failed", reason: "provider-5xx", text: HALF, tools: finished.tools })),
  ],
  ["retrying", () => showing(running({ notices: ["retrying"], retryAt: Date.now() + 9000 }))],
  ["resending", () => showing(running({ resending: true }))],
  [
    "reconnecting",
    () =>
      scene({
        link: { state: "reconnecting", sinceMs: Date.now() - 5000, nextTryAt: Date.now() + 8000 },
        conversation: conversation({ turns: [running({ text: HALF })] }),
      }),
  ],
  [
    "busy",
    () => ({
      events: [
        ...showing(finished, running({ text: HALF })).events,
        { kind: "not-sent", text: "And the WAF?", reason: "session-busy" },
      ],
    }),
  ],
  ["tools-refused", () => scene({ link: { ...ready, toolsRefused: true }, conversation: nothing })],
  ["page-blocked", () => scene({ page: unreadable("blocked-by-policy") })],
  ["page-restricted", () => scene({ page: unreadable("restricted-page") })],
  ["page-needs-permission", () => scene({ page: unreadable("needs-permission") })],
  ["page-needs-press", () => scene({ page: { state: "unreadable", fault: "needs-permission" } })],
  ["page-no-tab", () => scene({ page: unreadable("no-tab") })],
  ["page-capture-failed", () => scene({ page: unreadable("capture-failed") })],
  ["page-offered", () => scene({ page: { ...page, other: true, offered: true } })],
  ["page-other-tab", () => scene({ page: { ...page, other: true } })],
  ["page-selection", () => scene({ page: { ...page, selection: true } })],
  ["page-needs-reload", () => scene({ page: { ...page, api: "needs-reload" } })],
  ["incognito", () => scene({ conversation: { ...nothing, ephemeral: true } })],
  [
    "hostile",
    () =>
      showing(
        turn({
          prompt: "\u202eevil prompt",
          text: HOSTILE,
          page: { title: "<b>\u202etitle</b>", url: "javascript:1" },
        }),
      ),
  ],
  [
    "older",
    () =>
      scene({
        conversation: conversation({ turns: [finished, turn({ id: "c-9", prompt: "And then?" })], before: "4" }),
      }),
  ],
  ["long", () => longConversation(10_000)],
  ...ACTING,
  ["no-history", () => ({ ...scene({ conversation: nothing }), noHistory: true })],
]);
