/**
 * The page side of acting in a real browser: what a tool does to a page is asserted on the page, not on its answer.
 *
 * Rows of the list of faults not to repeat (chat-extension.md §9) are named where a test stands for one.
 */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { pageUrl } from "../page-tools/site";
import { done, noted, open, refOf, refused, startBrowser, takeFocusAway, value } from "../page-tools/stand";

startBrowser();

describe("page_fill", () => {
  test("replaces what a plain field holds, with the events of typing (578234e: 443 became 443443)", async () => {
    const { page, fill } = await open("plain");
    expect(done(await fill("Port", "8443"))).toContain('it now holds "8443"');
    expect(await value(page, "#port")).toBe("8443");
    expect(await noted(page, "seen")).toEqual(["beforeinput:port", "input:port", "change:port"]);
    done(await fill("Port", "9443"));
    expect(await value(page, "#port")).toBe("9443");
    done(await fill("Note", "one\ntwo"));
    expect(await value(page, "#note")).toBe("one\ntwo");
    done(await fill("Port", ""));
    expect(await value(page, "#port")).toBe("");
  });

  test("is kept by React's controlled inputs, and says so when React refuses or sets it out", async () => {
    const { page, fill } = await open("react");
    done(await fill("Name", "lb2"));
    expect(done(await fill("Amount", "1234567"))).toContain('the page shows it as "1,234,567"');
    refused(await fill("Digits", "8x"), "value-not-kept", /now holds "80"/);
    expect(await stateOf(page)).toMatchObject({ name: "lb2", amount: "1,234,567", digits: "80" });
  });

  test("reaches the models of Vue and of a value accessor like Angular's, touched state included", async () => {
    const vue = await open("vue");
    done(await vue.fill("Name", "lb3"));
    done(await vue.fill("Lazy", "left"));
    expect(await stateOf(vue.page)).toEqual({ name: "lb3", lazy: "left", on: false });

    const angular = await open("plain");
    done(await angular.fill("Origin", "10.0.0.1"));
    done(await angular.fill("Port", "1"));
    expect(await angular.page.locator("#origin-state").textContent()).toBe("10.0.0.1/true");
  });

  test("is heard by the page while the side panel has the focus", async () => {
    const { page, fill, run } = await open("plain");
    await takeFocusAway(page);
    done(await fill("Origin", "10.0.0.1"));
    done(await fill("Port", "1"));
    expect(await page.locator("#origin-state").textContent()).toBe("10.0.0.1/true");
    done(await run("page_press", { name: "Port", key: "2" }));
    expect(await value(page, "#port")).toBe("12");

    const editor = await open("editor");
    await takeFocusAway(editor.page);
    done(await editor.fill("Description", "new words"));
    done(await editor.fill("Own editor", "mine"));
    expect(await editor.page.locator("#rich").textContent()).toBe("new words");
    expect(await editor.page.locator("#model").textContent()).toBe("mine");
  });

  test("rewrites editable content, and the model of an editor that takes every edit itself", async () => {
    const { page, fill } = await open("editor");
    done(await fill("Description", "new words"));
    expect(await page.locator("#rich").textContent()).toBe("new words");
    expect(done(await fill("Description", "first\nsecond"))).toContain("it now holds");
    expect(await page.locator("#rich").evaluate((element) => element.children.length)).toBe(2);
    done(await fill("Own editor", "mine"));
    expect(await page.locator("#model").textContent()).toBe("mine");
  });

  test("refuses a value that the field cannot hold, and leaves the field alone", async () => {
    const { page, fill } = await open("plain");
    refused(await fill("Percent", "many"), "bad-value", /a number as 12.5 from 0 to 100/);
    refused(await fill("Percent", "101"), "bad-value", /from 0 to 100/);
    refused(await fill("Start", "31.3.2026"), "bad-value", /2026-03-31/);
    refused(await fill("Colour", "red"), "bad-value", /#1a2b3c/);
    refused(await fill("Short", "too long"), "bad-value", /at most 5 characters, this has 8/);
    refused(await fill("Fixed", "other"), "not-editable", /read-only/);
    refused(await fill("Use TLS", "yes"), "wrong-kind", /page_click/);
    expect(await noted(page, "seen")).toEqual([]);
    done(await fill("Percent", "50"));
    done(await fill("Start", "2026-03-31"));
    done(await fill("Colour", "#1A2B3C"));
    done(await fill("Weight", "3"));
    expect(await Promise.all(["#percent", "#start", "#colour", "#weight"].map((each) => value(page, each)))).toEqual([
      "50",
      "2026-03-31",
      "#1a2b3c",
      "3",
    ]);
  });

  test("types no secret unasked, and never says one", async () => {
    const { page, tools, fill, run } = await open("plain");
    refused(await fill("Passphrase", "hunter2"), "secret-field", /holds a secret/);
    refused(await fill("API token", "abcdef"), "secret-field", /holds a secret/);
    refused(await run("page_press", { name: "Passphrase", key: "h" }), "secret-field", /holds a secret/);
    expect(await value(page, "#password")).toBe("");
    expect(await tools.target("ask", "page_fill", { name: "Passphrase", value: "hunter2" })).toMatchObject({
      ok: true,
      role: "textbox",
      name: "Passphrase",
      secret: true,
    });
    const allowed = await fill("Passphrase", "hunter2", { mayTypeSecrets: true });
    expect(done(allowed)).not.toContain("hunter2");
    expect(await value(page, "#password")).toBe("hunter2");
  });
});

describe("page_click", () => {
  test("sends the whole sequence of a mouse, and one click", async () => {
    const { page, click, run } = await open("plain");
    await page.locator("#needed").fill("x");
    const text = done(await click("button", "Save"));
    expect(text).toContain('The page says: "Saved port 443"');
    const once = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"].map((type) => [
      type,
      true,
      type.startsWith("pointer") ? 0 : 1,
    ]);
    expect(await noted(page, "pressed")).toEqual(once);
    done(await run("page_click", { role: "button", name: "Save", double: true }));
    const types = firsts(await noted(page, "pressed")).slice(once.length);
    expect(types.filter((type) => type === "click")).toHaveLength(2);
    expect(types.at(-1)).toBe("dblclick");
  });

  test("works in React, and tells the state of what can be on", async () => {
    const react = await open("react");
    done(await react.click("button", "Count"));
    expect(await stateOf(react.page)).toMatchObject({ clicks: 1 });

    const { page, click } = await open("plain");
    expect(done(await click("checkbox", "Use TLS"))).toContain("It is now checked.");
    expect(await page.locator("#tls").isChecked()).toBe(true);
    expect(done(await click("radio", "Mode B"))).toContain("It is now checked.");
    expect(done(await click("button", "Ask"))).toContain('Opened: dialog "Really?".');
    refused(await click("button", "Save"), "occluded", /dialog "Really\?" is in front/);
  });

  test("says which fields a form does not accept", async () => {
    const { page, click } = await open("plain");
    const text = done(await click("button", "Save"));
    expect(text).toMatch(/Not accepted: textbox "Needed": Please fill/);
    expect(text).toContain('Focus: textbox "Needed".');
    expect(await page.locator("#status").textContent()).toBe("");
  });

  test("hits what it means under zoom, scaling and a sticky header (0f24a91: silent mis-clicks under zoom)", async () => {
    const { page, click } = await open("hit");
    const names = ["Zoom A", "Zoom B", "Zoom C", "Scale A", "Scale B", "Far down"];
    for (const name of names) done(await click("button", name));
    expect(await noted(page, "hits")).toEqual(names);
    // From the bottom back to the top, where the header covers what is scrolled just into view.
    done(await click("button", "Zoom A"));
    expect(await noted(page, "hits")).toEqual([...names, "Zoom A"]);
  });

  test("names what is in the way, and presses nothing", async () => {
    const { page, click } = await open("hit");
    refused(await click("button", "Covered"), "occluded", /dialog "Cookie notice" is in front of button "Covered"/);
    refused(await click("button", "Locked"), "disabled", /button "Locked" is disabled/);
    refused(
      await click("button", "Twice"),
      "ambiguous",
      /^2 fit: [a-z]{2}\d+ button "Twice"; [a-z]{2}\d+ button "Twice"$/,
    );
    refused(await click("button", "Nowhere"), "no-such-element", /nothing on the page is button "Nowhere"/);
    expect(await noted(page, "hits")).toEqual([]);
  });

  test("does not press another control that lies in the middle of its target", async () => {
    const { page, click } = await open("hit");
    expect(done(await click("checkbox", "the terms accepted"))).toContain("It is now checked.");
    expect(page.url()).not.toContain("#terms-text");
    done(await click("listitem", "Card"));
    expect(await noted(page, "hits")).not.toContain("Delete");
  });

  test("is shown before it is done (12585e8: the cue was drawn after the click)", async () => {
    const { page, click } = await open("plain");
    await page.evaluate(() => {
      const look = () => Reflect.set(window, "outlined", document.querySelectorAll("html > [popover]").length);
      document.getElementById("ask")?.addEventListener("pointerdown", look);
    });
    done(await click("button", "Ask"));
    expect(await noted(page, "outlined")).toBe(1);
  });

  test("waits for what moves", async () => {
    const { page, click } = await open("hit");
    await page.evaluate(() => Reflect.get(window, "slide")());
    done(await click("button", "Sliding"));
    expect(await noted(page, "hits")).toEqual(["Sliding"]);
  });

  test("reaches through nested shadow roots", async () => {
    const { page, click, fill } = await open("hit");
    done(await click("button", "Deep button"));
    done(await fill("Deep", "inside"));
    expect(await noted(page, "hits")).toEqual(["Deep button"]);
    expect(await value(page, "inner-box input")).toBe("inside");
  });

  test.each(["pointerdown", "mousedown", "pointerup"])(
    "presses nothing that comes to light when its target goes away on %s",
    async (type) => {
      const { page, run } = await open("vanish");
      for (const [name, below] of [
        ["Close", "Delete everything"],
        ["Delete", "Delete"],
      ] as const) {
        await page.evaluate((scene) => Reflect.get(window, "lay")(scene), { type, name, below });
        const ref = await refOf(run, "button", name);
        const text = done(await run("page_click", { ref }));
        expect(text).toContain(`button "${name}" went away as it was pressed`);
        expect(text).toContain('Closed: dialog "Notice"');
        expect(await noted(page, "heard")).toEqual([]);
      }
    },
  );

  test("goes on with what is drawn anew in the same place while it is held down", async () => {
    const { page, click } = await open("vanish");
    expect(done(await click("button", "Next"))).toContain('Clicked button "Next"');
    expect(await noted(page, "clicks")).toBe(1);
  });

  test("says where a link leads before the page is gone, and a dead reference is named so", async () => {
    const { page, run, click } = await open("words");
    const reply = await click("link", "To the form");
    expect(done(reply)).toContain("The page is going to https://tools.console.ves.volterra.io/plain.html.");
    await page.waitForURL(pageUrl("plain"));

    const react = await open("react");
    const ref = await refOf(react.run, "button", "Edit one");
    done(await react.run("page_click", { ref }));
    done(await react.click("button", "Redraw"));
    refused(await react.run("page_click", { ref }), "dead-ref", /not on the page any more/);
    refused(await run("page_click", { ref: "kq99999" }), "dead-ref", /kq99999/);
  });
});

describe("page_select", () => {
  test("chooses in the browser's own lists, by label or value, and lists the options it has", async () => {
    const { page, run } = await open("widgets");
    done(await run("page_select", { name: "Region", options: ["Frankfurt"] }));
    done(await run("page_select", { name: "Region", options: ["fr"] }));
    done(await run("page_select", { name: "Tags", options: ["red", "blue"] }));
    expect(await noted(page, "changes")).toEqual(["region:Frankfurt", "region:Paris", "tags:red,blue"]);
    const unknown = await run("page_select", { name: "Region", options: ["Oslo"] });
    refused(unknown, "no-such-option", /no "Oslo"; the options are "Choose", "Paris", "Frankfurt", "Ohio"/);
    refused(await run("page_select", { name: "Region", options: ["Ohio"] }), "disabled", /"Ohio" is disabled/);
    refused(await run("page_select", { name: "Region", options: ["fr", "de"] }), "bad-arguments", /one option only/);
    const plain = await open("plain");
    done(await plain.run("page_select", { role: "radio", name: "Mode A", options: ["Mode B"] }));
    expect(await plain.page.locator("[value=b]").isChecked()).toBe(true);
    const react = await open("react");
    done(await react.run("page_select", { name: "Kind", options: ["TCP"] }));
    expect(await stateOf(react.page)).toMatchObject({ kind: "tcp" });
  });

  test("opens a drawn list, picks and closes it in one step (9f3a173: dropdown closed before pick)", async () => {
    const { page, run } = await open("widgets");
    const text = done(await run("page_select", { name: "Algorithm", options: ["Source IP"] }));
    expect(text).toContain('It now shows "Source IP"');
    expect(await page.locator("#opener").textContent()).toBe("Source IP");
    expect(await page.locator(".overlay").count()).toBe(0);
    const unknown = await run("page_select", { name: "Algorithm", options: ["Fastest"] });
    refused(unknown, "no-such-option", /the options are "Round robin", "Least request"/);
    expect(await page.locator(".overlay").count()).toBe(0);
  });

  test("filters a long list by typing, scrolls one that is drawn as it is seen, and sets a list of several", async () => {
    const { page, run } = await open("widgets");
    done(await run("page_select", { name: "Namespace", options: ["namespace-217"] }));
    expect(await page.locator("#state").textContent()).toBe("namespace-217");
    const unknown = await run("page_select", { name: "Namespace", options: ["nowhere"] });
    refused(unknown, "no-such-option", /no "nowhere"/);
    expect(await value(page, "#filter")).toBe("namespace-217");
    done(await run("page_select", { name: "Zone", options: ["zone-77"] }));
    expect(await page.locator("#zones").textContent()).toBe("zone-77");
    done(await run("page_select", { name: "Sizes", options: ["medium", "large"] }));
    const chosen = page.locator("#sizes [aria-selected=true]");
    expect(await chosen.allTextContents()).toEqual(["medium", "large"]);
  });

  test("chooses in a menu what is a choice, and presses nothing that does something", async () => {
    const { page, tools, run } = await open("menus");
    const args = { role: "button", name: "Actions", options: ["Delete"] };
    // To open a menu is to click, and that is what the person is asked about.
    expect(await tools.target("ask", "page_select", args)).toMatchObject({ ok: true, effect: "click" });
    refused(await run("page_select", args), "no-such-option", /did not open a list/);
    expect(await noted(page, "chosen")).toEqual([]);
    done(await run("page_select", { name: "Sort", options: ["Age"] }));
    expect(await noted(page, "chosen")).toEqual(["Age"]);
  });

  test("types into no field that is hidden or holds a secret, to filter a list", async () => {
    const { page, run } = await open("menus");
    refused(await run("page_select", { name: "Account", options: ["Carol"] }), "no-such-option", /no "Carol"/);
    expect(await noted(page, "typed")).toEqual([]);
    done(await run("page_select", { name: "Account", options: ["Bob"] }));
    expect(await noted(page, "chosen")).toEqual(["Bob"]);
  });
});

describe("page_press", () => {
  test("does what the browser does for a key", async () => {
    const { page, run } = await open("plain");
    done(await run("page_press", { name: "Port", key: "Control+A" }));
    done(await run("page_press", { name: "Port", key: "5" }));
    expect(await value(page, "#port")).toBe("5");
    done(await run("page_press", { key: "Backspace" }));
    expect(await value(page, "#port")).toBe("");
    done(await run("page_press", { name: "Note", key: "Control+A" }));
    done(await run("page_press", { name: "Note", key: "Enter" }));
    expect(await value(page, "#note")).toBe("\n");
    expect(done(await run("page_press", { name: "Port", key: "Tab" }))).toContain('Focus: textbox "Note".');
    done(await run("page_press", { name: "Percent", key: "ArrowUp" }));
    expect(await value(page, "#percent")).toBe("8");
    await page.locator("#needed").fill("x");
    done(await run("page_press", { name: "Needed", key: "Enter" }));
    expect(await page.locator("#status").textContent()).toBe("Saved port ");
    done(await run("page_press", { role: "checkbox", key: "Space" }));
    expect(await page.locator("#tls").isChecked()).toBe(true);
    refused(await run("page_press", { key: "Hyper+Q" }), "bad-arguments", /no key/);
  });

  test("comes to a click, to typing or to a choice, and the person is asked about that", async () => {
    const { tools } = await open("plain");
    const effectOf = async (args: Record<string, unknown>) => {
      const reply: object = await tools.target("ask", "page_press", args);
      return Reflect.get(reply, "effect");
    };
    expect(await effectOf({ role: "button", name: "Save", key: "Enter" })).toBe("click");
    expect(await effectOf({ name: "Port", key: "Enter" })).toBe("click");
    expect(await effectOf({ name: "Port", key: "5" })).toBe("type");
    expect(await effectOf({ role: "radio", name: "Mode A", key: "ArrowDown" })).toBe("choose");
    expect(await effectOf({ key: "Escape" })).toBeUndefined();
  });

  test("closes a dialog with Escape", async () => {
    const { page, run, click } = await open("plain");
    done(await click("button", "Ask"));
    expect(done(await run("page_press", { key: "Escape" }))).toContain('Closed: dialog "Really?".');
    expect(await page.locator("#dialog").isVisible()).toBe(false);
  });
});

describe("page_scroll", () => {
  test("moves by screens, to an edge and to an element, and says where it is", async () => {
    const { page, run } = await open("hit");
    const top = () => page.evaluate(() => Math.round(scrollY));
    expect(done(await run("page_scroll", { direction: "down", amount: 1 }))).toMatch(/Scrolled; \d+ % of the way/);
    expect(await top()).toBe(800);
    expect(done(await run("page_scroll", { edge: "bottom" }))).toContain("at the bottom");
    expect(done(await run("page_scroll", { direction: "down" }))).toContain("Did not move; at the bottom");
    expect(done(await run("page_scroll", { edge: "top" }))).toContain("at the top");
    expect(done(await run("page_scroll", { role: "button", name: "Far down" }))).toContain(
      'button "Far down" into view',
    );
    expect(await page.getByText("Far down").boundingBox()).toMatchObject({ y: expect.closeTo(390, -2) });
  });
});

async function stateOf(page: Page): Promise<unknown> {
  return JSON.parse((await page.locator("#state").textContent()) ?? "");
}

/** The first member of each pair of a list. */
function firsts(value: unknown): unknown[] {
  return Array.isArray(value) ? value.map((each: unknown) => (Array.isArray(each) ? each[0] : each)) : [];
}
