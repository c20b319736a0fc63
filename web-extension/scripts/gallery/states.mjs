// @ts-check
/** The states that have to be shown: how to get there and what a person must be able to read. */

import { ACTING } from "./acting-states.mjs";
import { press, state, type } from "./state.mjs";

/**
 * @typedef {import("./state.mjs").Page} Page
 * @typedef {import("./state.mjs").State} State
 */

/** @type {[string, string, string][]} */
const FAULTS = [
  ["host-missing", "not set up for this browser", "sidewire install"],
  ["host-forbidden", "does not let the extension", "sidewire install"],
  ["host-exited", "stopped as soon as", "sidewire doctor"],
  ["host-protocol", "cannot be understood", "sidewire doctor"],
  ["worker-not-installed", "program is not", "sidewire install"],
  ["worker-not-started", "could not be started", "sidewire serve"],
  ["worker-unreachable", "does not answer", "sidewire serve"],
  ["handshake-failed", "could not prove", "sidewire doctor"],
  ["version-mismatch", "do not fit", "sidewire doctor"],
  ["shutting-down", "shutting down", "sidewire serve"],
];

/** @type {[string, string, string][]} */
const ERRORS = [
  ["bridge-disconnected", "connection to Sidewire was lost", "Try again"],
  ["bridge-unresponsive", "stopped responding", "Try again"],
  ["no-worker", "is not running", "Try again"],
  ["session-busy", "still answering another question", "Try again"],
  ["session-disposed", "stopped before this answer", "Try again"],
  ["token-expired", "has expired", "Set up a model"],
  ["token-expiring", "expires in a moment", "Set up a model"],
  ["provider-auth", "did not accept the key", "Set up a model"],
  ["provider-4xx", "refused this request", "Edit and ask again"],
  ["provider-5xx", "failed to answer", "Try again"],
  ["unknown", "does not know", "Try again"],
];

/** @type {State[]} */
const connection = [
  state("connecting", ["Connecting to Sidewire"]),
  ...FAULTS.map(([fault, sentence, command]) => state(`fault-${fault}`, [sentence, command, "Try again"])),
  state("fault-later", ["does not answer", "What does lb1 do?"]),
  state("fault-host-missing", ["Pairing line"], {
    name: "fault-pairing",
    steps: (page) => page.getByText("Pair without").click(),
  }),
  state("offline", ["Offline", "Connect a model", "Find models"], { absent: ["dialog[open]"] }),
  state("offline", ["Model on Ollama", "Use this model"], { name: "offline-found", steps: press("Find models") }),
  state("offline", ["Address (base URL)", "Key, if it needs one"], {
    name: "offline-address",
    steps: (page) => page.getByText("Enter an address").click(),
  }),
  state("reconnecting", ["Reconnecting in", "is an HTTP load balancer"], { absent: ["dialog[open]"] }),
];

/** @type {State[]} */
const conversation = [
  state("empty", ["Ask about this page", "What does lb1 do?", "What can I change here?"]),
  state("empty-no-page", ["Ask a question", "does not allow this page"]),
  state("thinking", ["Thinking", "8 s"]),
  state("streaming", ["is an HTTP load balancer", "Read the page", "Esc to stop"]),
  state("answer", ["Origin pool api-eu", "Search docs", "1.8 s"], { absent: ["a[href^=javascript]"] }),
  state("notices", ["Earlier messages were left out", "became too long", "highest number of steps"]),
  state("hostile", ["[U+202E]evil prompt", "Picture not loaded"]),
  state("stopped", ["Stopped.", "is an HTTP load balancer"]),
  ...ERRORS.map(([reason, sentence, action]) => state(`error-${reason}`, [sentence, action])),
  state("error-partial", ["failed to answer", "kept above", "is an HTTP load balancer"]),
  state("retrying", ["Trying again in"]),
  state("resending", ["Asking again by itself"]),
  state("busy", ["still answering", "Show it"]),
  state("incognito", ["nothing of this conversation is kept"]),
  state("answer", ["starts a new branch"], { name: "edit", steps: press("Edit question") }),
  state("answer", ["1 of 1"], {
    name: "find",
    steps: async (page) => {
      await page.keyboard.press("Control+f");
      await page.getByRole("searchbox").fill("pool");
    },
  }),
];

/** @type {State[]} */
const pages = [
  state("tools-refused", ["did not accept the page tools"]),
  state("page-blocked", ["has blocked this page"]),
  state("page-restricted", ["does not allow this page"]),
  state("page-needs-permission", ["may not read this site yet", "Allow wiki.example.com"]),
  state("page-needs-press", ["press its button in the toolbar"]),
  state("page-no-tab", ["no page in this window"]),
  state("page-capture-failed", ["could not be read"]),
  state("page-offered", ["Another tab is in front", "Use this tab instead"]),
  state("page-other-tab", ["Another tab is in front", "Use this tab instead", "lb1"]),
  state("page-selection", ["About the selection"]),
  state("page-needs-reload", ["Reload the page"]),
  state("answer", ["This page is not sent"], { name: "page-off", steps: (page) => page.getByRole("switch").click() }),
];

/** @type {State[]} */
const surfaces = [
  state("answer", ["Today", "Yesterday", "Answering", "grafana.example.net"], {
    name: "history",
    steps: press("History"),
  }),
  state("no-history", ["will appear here"], { steps: press("History") }),
  state("answer", ["Why does the health check"], {
    name: "history-search",
    steps: async (page) => {
      await press("History")(page);
      await page.getByRole("searchbox").fill("health");
      await page.getByText("Set up a rate limit").waitFor({ state: "detached" });
    },
    absent: [".history-row:nth-child(2)"],
  }),
  state("answer", ["Conversation deleted", "Undo"], {
    name: "history-deleted",
    steps: async (page) => {
      await press("History")(page);
      await page.getByRole("button", { name: "Delete “Summarise" }).click();
    },
  }),
  state("answer", [], {
    name: "history-rename",
    steps: async (page) => {
      await press("History")(page);
      await page.getByRole("button", { name: "Rename “Summarise" }).click();
      await page.getByRole("textbox", { name: "Title of the" }).waitFor();
    },
  }),
  state("answer", ["412 of 1,204", "792 elements were left out", "2 secret values", "Save changes"], {
    name: "preview",
    steps: press("Show what will be sent"),
  }),
  state("answer", ["private_key"], { name: "preview-api", steps: tab("API data") }),
  state("answer", ['{"v":1,'], { name: "preview-json", steps: tab("JSON") }),
  state("answer", ["previewed version will be sent", "Read the page anew"], {
    name: "page-pinned",
    steps: async (page) => {
      await press("Show what will be sent")(page);
      await page.getByText("Save changes").waitFor();
      await page.keyboard.press("Escape");
    },
  }),
  state("answer", ["asks before it acts", "points things out", "Takes and describes pictures"], {
    name: "modes",
    steps: press("Kind of answer"),
  }),
  state("answer", ["llama3.2", "Set up a model"], { name: "models", steps: press("Model:") }),
  state("answer", ["Settings"], { name: "menu", steps: press("More") }),
  state("answer", ["/history", "Find an earlier conversation"], { name: "commands", steps: type("/") }),
  state("answer", [], {
    name: "composer-tall",
    steps: (page) => type(Array.from({ length: 12 }, (_, line) => `Line ${line}`).join("\n"))(page),
  }),
  state("answer", ["Origin pool api-eu"], { name: "narrow", show: { scene: "answer", width: 320, height: 600 } }),
  state("answer", ["Origin pool api-eu"], { name: "wide", show: { scene: "answer", width: 800 } }),
];

/** @type {State[]} */
const options = [
  state(
    "answer",
    [
      "Connected through the helper",
      "Firefox",
      "wiki.example.com",
      "no statistics",
      "0.1.0",
      "Nothing is allowed for good",
    ],
    {
      name: "options",
      show: { scene: "answer", page: "options", width: 720 },
    },
  ),
  state("fault-host-missing", ["not set up for this browser", "needs a connection"], {
    name: "options-down",
    show: { scene: "fault-host-missing", page: "options", width: 720 },
  }),
  state("answer", ["This cannot be undone"], {
    name: "options-delete",
    show: { scene: "answer", page: "options", width: 480 },
    steps: press("Delete all my data"),
  }),
];

/** @param {string} name @returns {(page: Page) => Promise<void>} */
function tab(name) {
  return async (page) => {
    await press("Show what will be sent")(page);
    await page.getByRole("tab", { name }).click();
  };
}

/** All states. @type {State[]} */
export const STATES = [...connection, ...conversation, ...pages, ...surfaces, ...options, ...ACTING];
