// @vitest-environment jsdom
import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, describe, expect, it } from "vitest";
import type { ConsentCard as Card } from "../../../bridge/panel-port";
import { PanelProvider } from "../../context";
import { installFakeChrome } from "../../gallery/fake-chrome";
import { ConsentCard } from "./ConsentCard";

let said: string[];

beforeEach(() => {
  said = [];
  document.body.innerHTML = "";
  installFakeChrome({ connected: () => undefined, received: () => undefined, grantSites: true, local: {} });
});

/** Shows a card in a panel of its own. */
async function show(changes: Partial<Card>): Promise<void> {
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  const card: Card = {
    id: "1",
    turn: "c-1",
    action: "click",
    site: "a.example",
    choices: ["once", "deny"],
    ...changes,
  };
  const api = {
    send: () => true,
    request: async () => ({ ok: false, code: "not-connected", message: "" }) as const,
    dispatch: () => undefined,
    announce: (text: string) => void said.push(text),
  };
  await act(async () =>
    render(
      <PanelProvider value={api}>
        <ConsentCard
          card={card}
          waiting={1}
          answer={() => undefined}
          isTyping={() => false}
          focusComposer={() => undefined}
        />
      </PanelProvider>,
      root,
    ),
  );
}

const textOf = (selector: string): string | undefined => document.querySelector(selector)?.textContent ?? undefined;

describe("a consent card", () => {
  it("is a dialog whose question is its description, so that it is said with the answer that has the focus", async () => {
    await show({ target: "Edit" });
    const dialog = document.querySelector("[role=alertdialog]");
    const described = document.getElementById(dialog?.getAttribute("aria-describedby") ?? "");
    expect(described?.textContent).toContain("Click Edit on a.example?");
    expect(document.activeElement?.getAttribute("data-answer")).toBe("deny");
    expect(dialog?.contains(document.activeElement)).toBe(true);
  });

  it("shows whole, to be scrolled, whatever the sentence cuts, and says how long that is", async () => {
    const address = `https://a.example/x?${"q".repeat(3_000)}`;
    const options = "Frankfurt, ".repeat(30);
    const wholes: [Partial<Card>, string, string][] = [
      [{ action: "type", target: "Text", value: "v".repeat(32_768) }, "v".repeat(32_768), "32,768"],
      [{ action: "choose", target: "City", value: options }, options.trim(), "330"],
      [{ action: "navigate", target: address }, address, `${address.length.toLocaleString("en")}`],
      [{ target: "n".repeat(400) }, "n".repeat(400), "400"],
    ];
    for (const [changes, whole, length] of wholes) {
      await show(changes);
      expect(textOf(".consent-value") === whole).toBe(true);
      expect(textOf(".consent-value + .hint")).toBe(`${length} characters in all.`);
    }
    await show({ action: "choose", target: "City", value: "Frankfurt" });
    expect(textOf(".consent-value")).toBeUndefined();
  });

  it("says where the target is, what it is when it has no name, and whose page is around its frame", async () => {
    await show({ role: "button", context: 'row "lb1"', page: "shop.example" });
    expect(textOf(".consent-place")).toBe('button · row "lb1"');
    expect(textOf(".consent-body")).toContain("a part of the page shop.example that comes from somewhere else");
    await show({ target: "Delete", role: "button" });
    expect(textOf(".consent-place")).toBeUndefined();
  });

  it("has no countdown before its clock runs", async () => {
    await show({ target: "Edit" });
    expect(textOf(".consent-countdown")).toBeUndefined();
    await show({ target: "Edit", expiresAt: Date.now() + 20_000 });
    expect(textOf(".consent-countdown")).toBeDefined();
  });
});
