/** The catalogue itself, and the pure functions that make texts from it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import messages from "../../public/_locales/en/messages.json";
import { commandsFor } from "./commands";
import { formatBytes, formatDay, formatDuration, formatPlace } from "./format";
import { installFakeChrome } from "./gallery/fake-chrome";
import { patternOf } from "./permissions";
import { subjectOf, suggestionsFor } from "./suggestions";
import { visibleText } from "./visible-text";

beforeEach(() => {
  installFakeChrome({ connected: () => undefined, received: () => undefined, grantSites: true, local: {} });
});

const source = fileURLToPath(new URL("..", import.meta.url));

/** Every source text of the extension but the catalogue. */
function sources(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|generated)\./.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

interface Entry {
  message: string;
  placeholders?: Record<string, { content: string }>;
}

const catalogue = Object.entries<Entry>(messages);

describe("the catalogue", () => {
  const used = sources(source) + readFileSync(join(source, "../wxt.config.ts"), "utf8");

  it("holds nothing that is not used", () => {
    const stems = catalogue.map(([key]) => key.replace(/_(one|other)$/, ""));
    expect(stems.filter((stem) => !used.includes(`"${stem}"`) && !used.includes(`__MSG_${stem}__`))).toEqual([]);
  });

  it("declares and numbers its placeholders", () => {
    const faulty = catalogue.filter(([_key, { message, placeholders = {} }]) => {
      const named = [...new Set(message.match(/\$[A-Z]+\$/g))].map((name) => name.slice(1, -1).toLowerCase());
      const numbered = Object.values(placeholders).map(({ content }) => content);
      const expected = Object.keys(placeholders).map((_name, index) => `$${index + 1}`);
      return (
        named.toSorted().join() !== Object.keys(placeholders).toSorted().join() || numbered.join() !== expected.join()
      );
    });
    expect(faulty).toEqual([]);
  });

  it("has both forms of each counted message", () => {
    const stems = (form: string) =>
      catalogue.flatMap(([key]) => (key.endsWith(form) ? [key.slice(0, -form.length)] : []));
    expect(stems("_one")).toEqual(stems("_other"));
  });
});

describe("formats", () => {
  it.each([
    [1, "1 byte"],
    [512, "512 bytes"],
    [12_480, "12 KB"],
    [2_100, "2.1 KB"],
    [1_048_575, "1,024 KB"],
    [4_404_019, "4.2 MB"],
    [104_857_600, "100 MB"],
  ])("%i bytes", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [42, "42 ms"],
    [1830, "1.8 s"],
    [125_000, "2 min 5 s"],
  ])("%i ms", (ms, text) => expect(formatDuration(ms)).toBe(text));

  it.each([
    [0, "0:00"],
    [9_999, "0:09"],
    [725_000, "12:05"],
  ])("a place at %i ms", (ms, text) => expect(formatPlace(ms)).toBe(text));

  it("days are counted by midnights, not by hours", () => {
    const now = new Date(2026, 2, 30, 0, 30).getTime();
    expect(formatDay(now - 3_600_000, now)).toBe("Yesterday");
    expect(formatDay(now, now)).toBe("Today");
    expect(formatDay(new Date(2026, 2, 27, 23).getTime(), now)).toBe("Friday");
    expect(formatDay(new Date(2025, 0, 2).getTime(), now)).toBe("January 2, 2025");
  });
});

describe("suggestions", () => {
  it("name the subject of the page", () => {
    const page = {
      state: "readable",
      tabId: 1,
      title: "lb1 — Console",
      url: "https://a.example/",
      host: "a.example",
    } as const;
    const more = { selection: false, other: false, api: "none" } as const;
    expect(suggestionsFor({ ...page, ...more })[0]).toBe("What does lb1 do?");
    expect(suggestionsFor({ ...page, ...more, title: "" })[0]).toBe("What does a.example do?");
    expect(suggestionsFor({ ...page, ...more, selection: true })[0]).toBe("Explain the selected text");
    expect(suggestionsFor(null)[0]).toBe("What can you help me with?");
  });

  it("keep hyphens inside names and cut long ones", () => {
    expect(subjectOf("api-eu - Origin pools")).toBe("api-eu");
    expect(subjectOf("x".repeat(90))).toHaveLength(40);
  });
});

it("commands fit the start of one word after a slash", () => {
  expect(commandsFor("/").length).toBeGreaterThan(4);
  expect(commandsFor("/HI").map(({ id }) => id)).toEqual(["history"]);
  expect(commandsFor("/history of it")).toEqual([]);
  expect(commandsFor("a / b")).toEqual([]);
});

it("hidden characters are named", () => {
  expect(visibleText("a\u202eb\u2066c\u{e0041}d")).toBe("a[U+202E]b[U+2066]c[U+E0041]d");
  expect(visibleText("plain — ünïcode 日本 👩‍👩‍👧")).toBe("plain — ünïcode 日本 👩‍👩‍👧");
});

it("site patterns cover the host, not a port", () => {
  expect(patternOf("https://wiki.example.com:8443")).toBe("https://wiki.example.com/*");
});
