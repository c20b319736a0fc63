// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { secretPlaces } from "./secret-places";

/** What would be hidden of a page: the ids of elements, and words. */
function hidden(html: string): string[] {
  document.body.innerHTML = html;
  const places = secretPlaces(window) ?? [];
  return places.map((place) => (place instanceof Element ? `#${place.id}` : place.data));
}

describe("what a picture hides", () => {
  it.each([
    ["a field that is named like a secret", "<label>API token <input id=x value=q7Zp9vK2mW4t></label>", ["#x"]],
    ["a password, typed or not", "<input id=x type=password aria-label=Login>", ["#x"]],
    ["what a browser fills in with a card", "<input id=x autocomplete=cc-number aria-label=Number>", ["#x"]],
    ["a secret in a field of another name", "<label>Note <input id=x value='token=q7Zp9vK2mW4t'></label>", ["#x"]],
    [
      "the value beside a label that promises a secret, and not the label",
      "<dl><dt>API key</dt><dd>q7Zp9vK2mW4t</dd><dt>Port</dt><dd>443</dd></dl>",
      ["q7Zp9vK2mW4t"],
    ],
    [
      "all words of a line with a secret in it, however they are wrapped",
      "<p>Authorization: <b>Bearer</b> <code>abcdef0123456789abcdef</code></p><p>Other</p>",
      ["Authorization: ", "Bearer", " ", "abcdef0123456789abcdef"],
    ],
    ["nothing of an ordinary page", "<h1>Orders</h1><label>Name <input value=shop></label><p>Key facts</p>", []],
  ])("%s", (_, html, places) => expect(hidden(html)).toEqual(places));

  it("reaches open shadow roots", () => {
    document.body.innerHTML = "<div id=host></div>";
    const root = document.querySelector("#host")?.attachShadow({ mode: "open" });
    if (root) root.innerHTML = "<label>Client secret <input id=deep value=q7Zp9vK2mW4t></label>";
    expect(secretPlaces(window)).toEqual([root?.querySelector("#deep")]);
  });

  it("is the same as what a table's column hides", () => {
    const table = "<table><tr><th>Name</th><th>API key</th></tr><tr><td>a</td><td>q7Zp9vK2mW4t</td></tr></table>";
    expect(hidden(table)).toEqual(["q7Zp9vK2mW4t"]);
  });
});
