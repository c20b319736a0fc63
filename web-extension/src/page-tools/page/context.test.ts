// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { contextOf } from "./context";

function contextIn(html: string): string {
  document.body.innerHTML = html;
  const element = document.querySelector("#x");
  return element === null ? "" : contextOf(element);
}

describe("where an element is", () => {
  it.each([
    [
      "its row, by the header",
      "<table><tr><td>7</td><th>lb1</th><td><button id=x>Delete</button></table>",
      'row "lb1"',
    ],
    ["its row, by the first cell", "<table><tr><td>lb2<td><button id=x>Delete</button></table>", 'row "lb2"'],
    [
      "its item, by the heading, and not by itself",
      "<ul><li><a href=/ id=x>Open</a><h3>Shop</h3></ul>",
      'listitem "Shop"',
    ],
    [
      "its group and dialog, and nothing around the dialog",
      "<form aria-label=Page><div role=dialog aria-label=Confirm><fieldset><legend>Plan</legend><button id=x>Ok",
      'group "Plan" · dialog "Confirm"',
    ],
    ["nothing where nothing has a name", "<div><section><button id=x>Save</button></section></div>", ""],
  ])("%s", (_, html, context) => expect(contextIn(html)).toBe(context));
});
