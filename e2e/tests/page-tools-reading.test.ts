/** The page side of reading in a real browser, and of frames. */
import { describe, expect, test } from "vitest";
import { pageUrl } from "../page-tools/site";
import { done, open, refOf, refused, startBrowser } from "../page-tools/stand";

startBrowser();

describe("reading", () => {
  test("page_find gives references that survive reading again", async () => {
    const { run, tools } = await open("plain");
    const first = await run("page_find", { role: "textbox", name: "port" });
    expect(first).toMatchObject({ data: { total: 1, candidates: [{ role: "textbox", name: "Port" }] } });
    const second = await run("page_find", { name: "Port" }, { prefix: "f7" });
    const ref = await refOf(run, "textbox", "Port");
    expect(second).toMatchObject({ text: expect.stringContaining(`f7${ref} textbox "Port"`) });
    done(await run("page_fill", { ref: `f7${ref}`, value: "1" }));
    expect(await tools.run("page_find", { text: "Use TLS" })).toMatchObject({ data: { total: 1 } });
    refused(await run("page_find", {}), "bad-arguments", /role, a name or a text/);
  });

  test("a reference of the page before is dead on the next one, and never another element", async () => {
    const { page, run } = await open("plain");
    const old = await refOf(run, "button", "Ask");
    await page.goto(pageUrl("plain"));
    const now = await refOf(run, "button", "Ask");
    expect(now).not.toBe(old);
    // The same number, so that only the page's own letters keep the two apart.
    expect(now.slice(2)).toBe(old.slice(2));
    refused(await run("page_click", { ref: old }), "dead-ref", old);
    expect(await page.locator("#dialog").isVisible()).toBe(false);
    done(await run("page_click", { ref: now }));
    expect(await page.locator("#dialog").isVisible()).toBe(true);
  });

  test("page_text reads all that is seen and nothing else, in pages, without secrets", async () => {
    const { run } = await open("words");
    const first = done(await run("page_text", { limit: 500 }));
    expect(first).toMatch(
      /^Characters 0 to 500 of \d+\. Go on with offset 500\.\nCertificates\nTwo are about to expire\.\n/,
    );
    expect(first).toContain("API key | Name\n[redacted] | cert-0\nnone | cert-1");
    let text = "";
    for (let offset = 0, total = 1; offset < total; ) {
      const { data } = await run("page_text", { offset, limit: 20_000 });
      if (data?.text === undefined || data.text === "") throw new Error("no text");
      text += data.text;
      offset += data.text.length;
      total = data.total;
    }
    expect(text).toContain("none | cert-899");
    expect(text).not.toMatch(/never shown|not shown either|qX7zP9vK2mW4tR8sY1bN|typed/);
  });

  test("page_find and page_snapshot reach what a snapshot of the whole leaves out", async () => {
    const { run } = await open("words");
    expect(await run("page_find", { text: "cert-899" })).toMatchObject({ data: { total: 1 } });
    const main = await refOf(run, "main", "");
    const part = done(await run("page_snapshot", { ref: main, bytes: 800 }));
    expect(part).toContain('heading "Certificates" (level 1)');
    expect(new TextEncoder().encode(part).length).toBeLessThanOrEqual(860);
  });

  test("wait_for sees what appears, can be used and goes, and gives up in time", async () => {
    const { run, click, page } = await open("words");
    const waiting = run("wait_for", { role: "button", name: "Renew", state: "enabled" });
    await click("button", "Later");
    expect(done(await waiting)).toContain('There is button "Renew", and it can be used.');
    const gone = run("wait_for", { text: "All renewed", state: "gone" });
    await page.evaluate(() => document.querySelector("[role=alert]")?.remove());
    expect(done(await gone)).toContain("is gone");
    refused(await run("wait_for", { text: "Never", timeoutMs: 300 }), "timeout", /after 0.3 s: .*Never/);
    expect(done(await run("wait_for", { settled: true }))).toBe("The page is at rest.");
    const moved = run("wait_for", { url: "#part" });
    await click("link", "Further down");
    expect(done(await moved)).toContain("#part");
  });
});

describe("frames", () => {
  test("acts inside a frame, and not through what covers the frame", async () => {
    const { page, tools, run } = await open("frames");
    const frameId = await tools.childFrame();
    done(await run("page_fill", { name: "Inside", value: "typed" }, { frameId }));
    done(await run("page_click", { role: "button", name: "Go inside" }, { frameId }));
    const inner = page.frame({ url: /inner/ });
    expect(await inner?.title()).toBe("Pressed inside");
    expect(await inner?.locator("#inside").inputValue()).toBe("typed");
    await page.evaluate(() => document.getElementById("veil")?.removeAttribute("hidden"));
    const covered = await run("page_click", { role: "button", name: "Go inside" }, { frameId });
    refused(covered, "occluded", /something around this frame is in front of button "Go inside"/);
  });
});

describe("S24: a secret beside its label", () => {
  const SECRETS = /hunter2|pass77|s3cr3t|value99|openSesame|55/;

  test.each([
    ["page_find", { role: "definition", text: "7" }],
    ["page_find", { text: "hunter" }],
    ["page_find", { text: "value99" }],
    ["page_find", { text: "Sesame" }],
    ["page_find", { role: "definition" }],
    ["page_find", { role: "cell" }],
    ["page_find", { text: "password" }],
    ["page_text", {}],
    ["page_snapshot", {}],
    ["wait_for", { role: "definition" }],
    ["page_scroll", { edge: "bottom" }],
    ["page_click", { role: "button", name: "Tell" }],
    ["highlight", { role: "definition", name: "8443" }],
  ])("is not given out by %s %j", async (tool, args) => {
    const { run } = await open("labels");
    const { data, text } = await run(tool, args);
    // What was looked for in vain is said again.
    expect(JSON.stringify(tool === "page_find" ? data : text)).not.toMatch(SECRETS);
  });

  test("is not found by guessing", async () => {
    const { run } = await open("labels");
    for (const text of ["7", "hunter2pass77", "s3cr3t", "openSesame55"]) {
      expect(await run("page_find", { text })).toMatchObject({ data: { total: 0 } });
      refused(await run("wait_for", { text, timeoutMs: 200 }), "timeout", /not met/);
    }
  });

  test("is in nothing that is told of its element by ref", async () => {
    const { page, run, tools } = await open("labels");
    const cells = await run("page_find", { role: "definition" });
    const [ref = ""] = (cells.text ?? "").split(" ");
    expect(cells.text).toMatch(/^[a-z]{2}\d+ definition "\[redacted\]"/);
    for (const [tool, args] of [
      ["page_text", { ref }],
      ["page_snapshot", { ref }],
      ["wait_for", { ref }],
      ["page_scroll", { ref }],
      ["page_click", { ref }],
      ["highlight", { ref }],
    ] as const) {
      expect(JSON.stringify(await run(tool, args))).not.toMatch(SECRETS);
    }
    expect(JSON.stringify(await tools.target("ask", "page_click", { ref }))).not.toMatch(SECRETS);
    expect(await page.locator("#first").textContent()).toBe("hunter2pass77");
  });
});
