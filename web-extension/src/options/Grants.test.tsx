// @vitest-environment jsdom
import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { PanelRequest } from "../bridge/panel-port";
import { revokeGrant } from "../page-tools/grants-store";
import { PanelProvider } from "../panel/context";
import { installFakeChrome } from "../panel/gallery/fake-chrome";
import { Grants } from "./Grants";

const SITE = "https://a.example";
let asked: PanelRequest[];
let writes: boolean;

beforeEach(async () => {
  asked = [];
  writes = true;
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  installFakeChrome({
    connected: () => undefined,
    received: () => undefined,
    grantSites: true,
    local: { [`grant:${SITE}`]: { origin: SITE, actions: ["click", "type"] } },
    session: { [`conversation-grant:k:${SITE}`]: { origin: SITE, actions: ["press"], conversation: "k" } },
  });
  const api = {
    send: () => true,
    request: async (request: PanelRequest) => {
      asked.push(request);
      if (!writes) return { ok: false, code: "storage-failed", message: "" } as const;
      if (request.kind === "revoke-grant") await revokeGrant(request.origin, request.action);
      return { ok: true, body: { kind: "done" } } as const;
    },
    dispatch: () => undefined,
    announce: () => undefined,
  };
  await act(async () =>
    render(
      <PanelProvider value={api}>
        <Grants />
      </PanelProvider>,
      root,
    ),
  );
  await vi.waitFor(() => expect(labels()).toHaveLength(5));
});

const labels = (): (string | null)[] =>
  [...document.querySelectorAll("button")].map((button) => button.getAttribute("aria-label"));

function press(label: string): void {
  const button = [...document.querySelectorAll("button")].find((each) => each.getAttribute("aria-label") === label);
  button?.focus();
  button?.click();
}

describe("what is allowed on sites", () => {
  it("is listed, for good and in conversations, and revoked by the service worker", async () => {
    expect(document.body.textContent).toContain("Allowed in a conversation");
    press(`Revoke all on ${SITE}`);
    await vi.waitFor(() => expect(labels()).toEqual([]));
    expect(asked).toEqual([{ kind: "revoke-grant", origin: SITE }]);
    expect(document.activeElement?.tagName).toBe("H2");
  });

  it("gives the focus to the next action when one goes", async () => {
    const [first, second] = labels();
    press(first ?? "");
    await vi.waitFor(() => expect(labels()).toHaveLength(4));
    expect(asked).toEqual([{ kind: "revoke-grant", origin: SITE, action: "click" }]);
    await vi.waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe(second));
  });

  it("says when it could not be revoked", async () => {
    writes = false;
    press(`Revoke all on ${SITE}`);
    await vi.waitFor(() => expect(document.querySelector("[role=alert]")?.textContent).toMatch(/could not be revoked/));
    expect(labels()).toHaveLength(5);
  });
});
