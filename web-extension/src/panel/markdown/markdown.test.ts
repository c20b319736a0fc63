// @vitest-environment jsdom
/** Rendering that grows. What a hostile answer may do is tested in a real browser (the gallery's S26). */
import { beforeEach, describe, expect, it } from "vitest";
import { installFakeChrome } from "../gallery/fake-chrome";
import { ANSWER } from "../gallery/fixtures";
import { closeOpenMarks, holdBackTableHeader } from "./parse";
import { MarkdownView } from "./view";

beforeEach(() => {
  installFakeChrome({ connected: () => undefined, received: () => undefined, grantSites: true, local: {} });
});

function shown(...updates: [string, boolean][]): HTMLElement {
  const root = document.createElement("div");
  const view = new MarkdownView(root);
  for (const [text, complete] of updates) view.update(text, complete);
  return root;
}

const SAMPLES = [
  ANSWER,
  "1. one\n\n   more\n2. two\n\ntext\n\n- a\n  - b\n\n> quote\ncontinued\n\n---\n\nTitle\n===\n\n    indented\n",
  "See [the guide][g].\n\nText.\n\n[g]: https://docs.example.com/guide\n",
  "~~~js\nconst a = 1;\n~~~\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n",
  "windows\r\nline\r\n\r\nends\r\n",
];

describe("streaming", () => {
  it.each(SAMPLES)("ends with the same document as rendering at once (%#)", (text) => {
    const stride = text.length > 400 ? 7 : 1;
    const steps = Array.from({ length: text.length / stride }, (_, step): [string, boolean] => [
      text.slice(0, step * stride + 1),
      false,
    ]);
    expect(shown(...steps, [text, true]).innerHTML).toBe(shown([text, true]).innerHTML);
  });

  it("does not touch finished blocks", () => {
    const root = document.createElement("div");
    const view = new MarkdownView(root);
    view.update("First.\n\nSec", false);
    const [first, second] = root.children;
    view.update("First.\n\nSecond **wo", false);
    expect([root.children[0], root.children[1]]).toEqual([first, second]);
    expect(second?.querySelector("strong")?.textContent).toBe("wo");
    view.update("First.\n\nSecond **word**.", true);
    expect(root.children[1]).toBe(second);
    expect(root.textContent).toContain("Second word.");
  });

  it("starts again when the text is another one", () => {
    expect(shown(["Old text.\n\nMore", false], ["New", true]).textContent?.trim()).toBe("New");
  });

  it("colours code only when it is complete, and closes an open fence", () => {
    expect(shown(['```json\n{"a": 1}', false]).querySelector("code span")).toBeNull();
    const done = shown(['```json\n{"a": 1}', true]);
    expect(done.querySelector("code span")).not.toBeNull();
    expect(done.querySelector("code")?.textContent?.trim()).toBe('{"a": 1}');
  });
});

it("headings follow each other whatever depth the model chose", () => {
  const root = shown(["# a\n\n#### b\n\n## c\n\n###### d\n\n# e", true]);
  expect([...root.querySelectorAll("h3,h4,h5,h6")].map((heading) => heading.nodeName)).toEqual([
    "H3",
    "H4",
    "H4",
    "H5",
    "H3",
  ]);
});

it("a half-typed table header is held back, a table is not", () => {
  expect(holdBackTableHeader("Text\n\n| a | b")).toBe("Text\n");
  expect(holdBackTableHeader("Text\n\n| a | b |\n| --- |")).toBe("Text\n");
  expect(holdBackTableHeader("| a | b |\n| --- | --- |")).toBe("| a | b |\n| --- | --- |");
  expect(holdBackTableHeader("no | table")).toBe("no | table");
});

it("open marks of the last line are closed for now", () => {
  expect(closeOpenMarks("a **b")).toBe("a **b**");
  expect(closeOpenMarks("a **")).toBe("a ");
  expect(closeOpenMarks("a `b")).toBe("a `b`");
  expect(closeOpenMarks("**a** `b`")).toBe("**a** `b`");
});

it("a link shows where it leads and exposes a false name", () => {
  const links = shown([
    "[bank.example](https://evil.example/x) [docs](https://docs.example.com/a) [x](javascript:alert(1))",
    true,
  ]).querySelectorAll("a");
  expect([...links].map((link) => [link.textContent, link.title, link.getAttribute("href")])).toEqual([
    ["bank.example (evil.example)", "evil.example", "https://evil.example/x"],
    ["docs", "docs.example.com", "https://docs.example.com/a"],
    ["x", "", null],
  ]);
});

it("raw HTML is shown as the text it is", () => {
  const root = shown(["Use <b>bold</b> and\n\n<script>alert(1)</script>\n\na<br>b", true]);
  expect(root.querySelector("b, script")).toBeNull();
  expect(root.textContent).toContain("<script>alert(1)</script>");
  expect(root.querySelector("br")).not.toBeNull();
});
