// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { chordOf } from "./chord";
import { effectOfKey } from "./key-effect";
import { pageTools } from "./tools";

function made(html: string): Element {
  document.body.innerHTML = html;
  const made = document.querySelector("#x");
  if (made === null) throw new Error("no #x");
  return made;
}

describe("a key", () => {
  it.each([
    ["Enter", "<button id=x>Save</button>", "click"],
    ["Space", "<button id=x>Save</button>", "click"],
    ["Control+Enter", "<button id=x>Save</button>", "click"],
    ["Enter", "<a id=x href='/'>Out</a>", "click"],
    ["Enter", "<div id=x role=button tabindex=0>Save</div>", "click"],
    ["Space", "<div id=x tabindex=0>Save</div>", "click"],
    ["Space", "<input id=x type=checkbox>", "click"],
    ["Enter", "<form><input id=x></form>", "click"],
    ["Enter", "<textarea id=x></textarea>", undefined],
    ["a", "<input id=x>", "type"],
    ["Space", "<textarea id=x></textarea>", "type"],
    ["Backspace", "<input id=x>", "type"],
    ["Control+V", "<input id=x>", "type"],
    ["Control+A", "<input id=x>", undefined],
    ["Control+S", "<input id=x>", undefined],
    ["ArrowUp", "<input id=x type=number>", "type"],
    ["ArrowRight", "<input id=x type=range>", "type"],
    ["ArrowLeft", "<input id=x>", undefined],
    ["ArrowDown", "<select id=x><option>a</select>", "choose"],
    ["End", "<input id=x type=radio>", "choose"],
    ["a", "<button id=x>Save</button>", undefined],
    ["Tab", "<input id=x>", undefined],
    ["Escape", "<button id=x>Save</button>", undefined],
  ])("%s on %s comes to %s", (key, html, effect) => {
    expect(effectOfKey(made(html), chordOf(key))).toBe(effect);
    expect(pageTools.page_press.effect?.(made(html), { key })).toBe(effect);
  });

  it("for the page as a whole is a key", () => {
    for (const key of ["Enter", "Space", "a"]) expect(effectOfKey(document.body, chordOf(key))).toBeUndefined();
  });
});

describe("choosing", () => {
  it.each([
    ["<select id=x><option>a</select>", undefined],
    ["<button id=x role=combobox>a</button>", undefined],
    ["<button id=x aria-haspopup=listbox>a</button>", undefined],
    ["<div id=x role=listbox><div role=option>a</div></div>", undefined],
    ["<input id=x type=radio>", undefined],
    // Any button may say that something opens.
    ["<button id=x aria-haspopup=menu>Actions</button>", "click"],
    ["<button id=x aria-haspopup=true>Actions</button>", "click"],
    ["<button id=x aria-expanded=false>Delete all</button>", "click"],
  ])("from %s comes to %s", (html, effect) => {
    expect(pageTools.page_select.effect?.(made(html), { options: ["a"] })).toBe(effect);
  });

  it("is not from one of several lists in something", () => {
    const main = made("<div id=x><button aria-haspopup=menu>A</button><button aria-haspopup=menu>B</button></div>");
    expect(() => pageTools.page_select.effect?.(main, { options: ["a"] })).toThrowError(
      expect.objectContaining({ code: "wrong-kind" }),
    );
  });
});
