// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { refOf } from "../../capture/page/refs";
import { candidateLine, candidateOf, located, locatorOf } from "./locate";
import { resolved } from "./target";

const place = { view: window, prefix: "" };

function page(html: string): void {
  document.body.innerHTML = html;
}

function at(selector: string): Element {
  const found = document.querySelector(selector);
  if (found === null) throw new Error(`no ${selector}`);
  return found;
}

beforeEach(() => page(""));

describe("a reference", () => {
  it("means its element as long as that is on the page, and no other afterwards", () => {
    page("<button>Save</button>");
    const button = at("button");
    const ref = refOf(button);
    expect(resolved({ ref }, place)).toBe(button);
    expect(resolved({ ref: `f12${ref}` }, place)).toBe(button);
    document.body.append(button);
    expect(refOf(button)).toBe(ref);
    button.remove();
    expect(() => resolved({ ref }, place)).toThrowError(expect.objectContaining({ code: "dead-ref" }));
    page("<button>Save</button>");
    expect(() => resolved({ ref }, place)).toThrowError(expect.objectContaining({ code: "dead-ref" }));
    expect(() => resolved({ ref: "#save" }, place)).toThrowError(expect.objectContaining({ code: "bad-arguments" }));
  });
});

describe("a locator", () => {
  it.each([
    ["role and name", "<button id=x>Save</button><a href='/'>Save</a>", { role: "button", name: "Save" }],
    ["case and space aside", "<button id=x>Save <b>all</b></button>", { name: "save ALL" }],
    ["an equal name before one that holds it", "<button>Save all</button><button id=x>Save</button>", { name: "Save" }],
    ["a part of a name", "<button id=x>Save changes</button>", { name: "changes" }],
    ["a label", "<label>Port <input id=x></label>", { role: "textbox", name: "Port" }],
    ["a value", "<label>Port <input id=x value=443></label>", { text: "443" }],
    ["what can be pressed before a heading", "<h2>Save</h2><button id=x>Save</button>", { text: "Save" }],
    ["the control that words stand on", "<a id=x href='/'><div><h3>Deep</h3> words</div></a>", { text: "Deep" }],
    ["a role alone", "<input type=checkbox id=x>", { role: "checkbox" }],
  ])("finds by %s", (_, html, args) => {
    page(html);
    expect(resolved(args, place)).toBe(at("#x"));
  });

  it("does not see what a person does not see", () => {
    page(
      "<button hidden>Save</button><button style='visibility:hidden'>Save</button><div inert><button>Save</button></div>",
    );
    expect(() => resolved({ name: "Save" }, place)).toThrowError(expect.objectContaining({ code: "no-such-element" }));
    page("<p style='display:none'>Save</p><p aria-hidden=true>Save</p>");
    expect(() => resolved({ text: "Save" }, place)).toThrowError(expect.objectContaining({ code: "no-such-element" }));
  });

  it("looks into open shadow roots", () => {
    page("<div id=host></div>");
    const root = at("#host").attachShadow({ mode: "open" });
    root.innerHTML = "<button>Deep</button>";
    expect(resolved({ name: "Deep" }, place)).toBe(root.querySelector("button"));
  });

  it("lists the candidates when it is ambiguous, at most ten", () => {
    page("<button>Edit</button>".repeat(12));
    expect(() => resolved({ name: "Edit" }, place)).toThrowError(
      expect.objectContaining({
        code: "ambiguous",
        detail: expect.stringMatching(/^12 fit: (?:[a-z]{2}\d+ button "Edit"; ){10}and 2 more$/),
      }),
    );
    page("<button>Edit one</button><button>Edit</button>");
    const exact = locatorOf({ name: "Edit", exact: true });
    if (exact === null) throw new Error("no locator");
    const [only, ...others] = located(window, exact);
    expect(others).toEqual([]);
    expect(only && candidateLine(candidateOf(only, "f3"))).toMatch(/^f3[a-z]{2}\d+ button "Edit"$/);
  });

  it("is none without words", () => {
    expect(locatorOf({ name: " " })).toBeNull();
    expect(resolved({}, place)).toBeNull();
  });
});
