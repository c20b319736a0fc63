import { beforeEach, describe, expect, it } from "vitest";
import type { ConsentCard } from "../../../bridge/panel-port";
import { installFakeChrome } from "../../gallery/fake-chrome";
import { consentSentence } from "./ConsentText";

beforeEach(() => {
  installFakeChrome({ connected: () => undefined, received: () => undefined, grantSites: true, local: {} });
});

const said = (changes: Partial<ConsentCard>) =>
  consentSentence({
    id: "1",
    turn: "c-1",
    action: "click",
    site: "a.example",
    choices: ["once", "deny"],
    expiresAt: 0,
    ...changes,
  });

describe("a consent card says", () => {
  it.each<[Partial<ConsentCard>, string]>([
    [{ target: "Edit" }, "Click Edit on a.example?"],
    [{ target: "\n" }, "Click something without a name on a.example?"],
    [{ action: "type", target: "Domain", value: "x" }, "Fill in Domain on a.example?"],
    [{ action: "type", value: "x" }, "Fill in a field without a name on a.example?"],
    [{ action: "type", target: "Password", secret: true }, "Fill in the password field Password on a.example?"],
    [{ action: "type", secret: true }, "Fill in a password field on a.example?"],
    [{ action: "choose", target: "Type", value: "HTTPS" }, "Choose HTTPS in Type on a.example?"],
    [{ action: "choose", value: "HTTPS" }, "Choose HTTPS in a list on a.example?"],
    [{ action: "press", target: "Search", value: "Enter" }, "Press Enter in Search on a.example?"],
    [{ action: "press", value: "Enter" }, "Press Enter on a.example?"],
    [{ action: "scroll", target: "Routes" }, "Scroll to Routes on a.example?"],
    [{ action: "scroll" }, "Scroll the page on a.example?"],
    [{ action: "navigate", target: "https://a.example/b?c=1#d" }, "Go to /b?c=1#d on a.example?"],
  ])("%o", (changes, sentence) => expect(said(changes)).toBe(`Sidewire asks: ${sentence}`));

  it.each([
    ["another protocol", "http://a.example/b"],
    ["another host", "https://b.example/b"],
    ["another port", "https://a.example:8443/b"],
    ["a name and password", "https://user:pass@a.example/b"],
    ["no address at all", "not an address"],
  ])("the whole address when it holds %s", (_name, target) => {
    expect(said({ action: "navigate", target })).toBe(`Sidewire asks: Go to ${target} on a.example?`);
  });

  it("never what goes into a password field", () => {
    expect(said({ action: "type", target: "Password", value: "hunter2", secret: true })).not.toContain("hunter2");
  });

  it("placeholders of a text as text", () => {
    expect(said({ target: "$SITE$ $1 $$" })).toBe("Sidewire asks: Click $SITE$ $1 $$ on a.example?");
  });

  it("long names cut, and the site never", () => {
    const site = `${"sub.".repeat(50)}a.example`;
    expect(said({ target: "x".repeat(500), site })).toBe(`Sidewire asks: Click ${"x".repeat(80)}… on ${site}?`);
  });
});
