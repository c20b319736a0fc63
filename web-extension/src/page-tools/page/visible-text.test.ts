// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { visibleText } from "./visible-text";

function read(html: string): string {
  document.body.innerHTML = html;
  return visibleText(document.body);
}

describe("visible text", () => {
  it.each([
    ["blocks stand on lines of their own", "<h1>A</h1><p>b <b>c</b>d</p>e<br>f", "A\nb cd\ne\nf"],
    [
      "cells of a row share a line",
      "<table><tr><th>N</th><th>P</th></tr><tr><td>a</td><td><p>1</p><p>2</p></td></tr></table>",
      "N | P\na | 1 2",
    ],
    ["what is hidden is not read", "<p hidden>x</p><p style='display:none'>x</p><script>x</script><p>y</p>", "y"],
    [
      "what is for assistive software only, or switched off, is not read",
      "<i aria-hidden=true>x</i><p inert>x</p>z",
      "z",
    ],
    ["fields are not text", "<textarea>typed</textarea><select><option>o</option></select>label", "label"],
    ["secrets are hidden", "<p>Authorization: Bearer abcdef0123456789abcdef</p>", "Authorization: Bearer [redacted]"],
    [
      "a value beside a label that promises a secret is hidden",
      "<dl><dt>API key</dt><dd>q7Zp9vK2mW4t</dd></dl>",
      "API key\n[redacted]",
    ],
  ])("%s", (_, html, text) => expect(read(html)).toBe(text));

  it("reads open shadow roots with what is slotted into them", () => {
    document.body.innerHTML = "<div id=host>slotted</div>";
    const root = document.querySelector("#host")?.attachShadow({ mode: "open" });
    if (root) root.innerHTML = "<p>before</p><slot></slot><p>after</p>";
    expect(visibleText(document.body)).toBe("before\nslotted\nafter");
  });

  it("is bounded in depth by nothing", () => {
    const depth = 200;
    let inner: Element = document.body;
    document.body.replaceChildren();
    for (let level = 0; level < depth; level += 1) {
      const box = document.createElement("div");
      inner.append(box);
      inner = box;
    }
    inner.append("bottom");
    expect(visibleText(document.body)).toBe("bottom");
  });
});
