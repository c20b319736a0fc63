// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { refOf } from "../../capture/page/refs";
import type { FrameDone, FrameTool } from "../messages";
import { Changes } from "./changes";
import { describe as described, spokenOf } from "./describe";
import { hiddenWords, wordsOf } from "./hiding";
import { Marks } from "./marks";
import { resolved } from "./target";
import { pageTools } from "./tools";

/** Nobody reads it on a page, so nobody may find it there either. */
const CANARY = "hunter2pass77";

function page(html: string): void {
  document.body.innerHTML = html;
}

function at(selector: string): Element {
  const found = document.querySelector(selector);
  if (found === null) throw new Error(`no ${selector}`);
  return found;
}

async function run(tool: FrameTool, args: Record<string, unknown>): Promise<FrameDone> {
  const { signal } = new AbortController();
  const place = { view: window, prefix: "" };
  const target = pageTools[tool].target === "none" ? null : resolved(args, place);
  const job = { ...place, args, signal, target, mayTypeSecrets: false, check: () => undefined };
  return pageTools[tool].run({ ...job, marks: new Marks(window) });
}

const PLACES = [
  ["a definition", `<dl><dt>Password</dt><dd id=secret>${CANARY}</dd></dl>`],
  ["a cell beside its label", `<table><tr><td>Password</td><td id=secret>${CANARY}</td></tr></table>`],
  [
    "a cell below its header",
    `<table><tr><th>Name</th><th>Password</th></tr>${"<tr><td>a</td><td>none</td></tr>".repeat(60)}<tr><td>b</td><td id=secret>${CANARY}</td></tr></table>`,
  ],
  ["plain words", `<p>Password</p><p id=secret>${CANARY}</p>`],
  ["pieces of one word", "<p>Password</p><p id=secret>hunter2<b>pass77</b></p>"],
  ["a part of a line", `<p>password: <b id=secret>${CANARY}</b></p>`],
  ["an assignment of plain words", "<p>password=<i>hunter</i><b id=secret>hunterword</b></p>"],
  [
    "words far from it in the markup",
    `<p>Password</p><ul hidden>${"<li>one more</li>".repeat(60)}</ul><p id=secret>${CANARY}</p>`,
  ],
  ["a stated name", `<dl><dt>Password</dt><dd id=secret aria-label="${CANARY}">shown</dd></dl>`],
] as const;

beforeEach(() => page(""));

describe.each(PLACES)("S24: a secret in %s", (_, html) => {
  beforeEach(() => page(`<main><h1>Settings</h1>${html}<button>Save</button></main>`));

  it.each([
    { text: "7" },
    { text: "hunter" },
    { name: "pass7" },
    { text: CANARY, exact: true },
    { role: "definition" },
    { role: "definition", text: "7" },
    { role: "cell", text: "hunter" },
    { text: "password" },
    { text: "redacted" },
  ])("is neither found nor given out by page_find %j", async (args) => {
    const { data } = await run("page_find", args);
    expect(JSON.stringify(data)).not.toMatch(/hunter2|pass77|hunterword/);
    if (/7|hunter/.test(args.text ?? args.name ?? "")) expect(data).toMatchObject({ total: 0 });
  });

  it("is not named by wait_for, nor guessed with it", async () => {
    const ref = refOf(at("#secret"));
    expect((await run("wait_for", { ref, timeoutMs: 100 })).text).not.toMatch(/hunter2|pass77|hunterword/);
    for (const text of ["7", "hunter", CANARY]) {
      await expect(run("wait_for", { text, timeoutMs: 100 })).rejects.toMatchObject({ code: "timeout" });
      expect((await run("wait_for", { text, state: "gone" })).text).toContain("is gone");
    }
  });

  it("is not read as a part by its ref", async () => {
    const ref = refOf(at("#secret"));
    expect((await run("page_text", { ref })).text).not.toMatch(/hunter2|pass77|hunterword/);
    const part = await run("page_snapshot", { ref }).catch(String);
    expect(JSON.stringify(part)).not.toMatch(/hunter2|pass77|hunterword/);
  });

  it("is in no name, neither its own nor that of what holds it", () => {
    for (const element of [at("#secret"), at("main"), ...document.querySelectorAll("tr, dl, table, p")]) {
      expect(`${spokenOf(element)} ${wordsOf(element, 400)}`).not.toMatch(/hunter2|pass77|hunterword/);
    }
  });
});

describe("what is no secret", () => {
  it("keeps its name and is found", async () => {
    page("<p>Port</p><p id=port>8443 and 9443</p><dl><dt>Password</dt><dd>none</dd></dl><a href='/'>lb-1 Edit</a>");
    expect(described(at("#port"))).toMatchObject({ name: "8443 and 9443" });
    expect(described(at("a"))).toEqual({ role: "link", name: "lb-1 Edit" });
    expect(await run("page_find", { text: "9443" })).toMatchObject({ data: { total: 1 } });
    expect(hiddenWords(at("dl")).size).toBe(0);
  });

  it("is found across the pieces of a line", async () => {
    page("<p id=x>Two are <b>about</b> to expire.</p>");
    expect(await run("page_find", { text: "are about to" })).toMatchObject({
      data: { candidates: [{ ref: refOf(at("#x")) }] },
    });
  });
});

describe("S24: an address", () => {
  it("is waited for as it is read", async () => {
    history.replaceState(null, "", "/list?token=q7Zp9vK2mW4tR8sY1bN&page=2");
    expect((await run("wait_for", { url: "page=2" })).text).not.toContain("q7Zp");
    await expect(run("wait_for", { url: "token=q7", timeoutMs: 100 })).rejects.toMatchObject({ code: "timeout" });
    history.replaceState(null, "", "/");
  });
});

describe("S24: a message of the page", () => {
  it("is told without the secret in it", async () => {
    page("<div role=status></div>");
    const changes = new Changes(window);
    at("[role=status]").innerHTML = `<p>Password</p><p>${CANARY}</p>`;
    const report = await changes.report(new AbortController().signal);
    expect(report).toContain('The page says: "Password [redacted]"');
  });
});
