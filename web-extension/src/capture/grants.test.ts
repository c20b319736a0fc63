import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FakeEvent } from "../shared/testing/fake-chrome";
import { followGrants } from "./grants";
import { siteMatches } from "./sites";

type Script = chrome.scripting.RegisteredContentScript;

let origins: string[];
let registered: Script[];
let changes: string[];
let life: AbortController;
const onAdded = new FakeEvent<[]>();

beforeEach(() => {
  [origins, registered, changes] = [["http://127.0.0.1/*", ...siteMatches, "https://wiki.example.com/*"], [], []];
  life = new AbortController();
  vi.stubGlobal("chrome", {
    permissions: { onAdded, onRemoved: new FakeEvent<[]>(), getAll: async () => ({ origins }) },
    scripting: {
      getRegisteredContentScripts: async () => registered,
      unregisterContentScripts: async () => {
        changes.push("unregister");
        registered = [];
      },
      registerContentScripts: async (scripts: Script[]) => {
        changes.push("register");
        registered = scripts;
      },
    },
  });
});

afterEach(() => life.abort());

it("registers what was granted beside the sites of the build, this machine's own pages too", async () => {
  followGrants(life.signal);
  await vi.waitFor(() => expect(registered).toHaveLength(2));
  for (const { matches } of registered) expect(matches).toEqual(["http://127.0.0.1/*", "https://wiki.example.com/*"]);
});

it("leaves scripts that are right as they are, and follows a change", async () => {
  followGrants(life.signal);
  await vi.waitFor(() => expect(changes).toEqual(["register"]));
  origins = origins.toReversed();
  onAdded.emit();
  origins = [...origins, "https://more.example.com/*"];
  onAdded.emit();
  await vi.waitFor(() => expect(changes).toEqual(["register", "unregister", "register"]));
  expect(registered[0]?.matches).toContain("https://more.example.com/*");
});
