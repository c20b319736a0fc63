// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakePort } from "../../shared/testing/fake-chrome";
import type { ToolMessage } from "../messages";
import { ToolService } from "./service";

let service: ToolService;
let port: FakePort | undefined;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const connect = ({ name }: { name: string }): FakePort => {
    port = new FakePort(name);
    return port;
  };
  vi.stubGlobal("chrome", { runtime: { connect } });
  vi.stubGlobal(
    "CSSStyleSheet",
    class {
      replaceSync() {}
    },
  );
  window.matchMedia = () => Object({ matches: true });
  document.title = "Secret plans";
  document.body.innerHTML = "<ul><li><h3>lb1</h3><button>Delete</button></ul>";
  service = new ToolService(window);
});

afterEach(() => {
  service.close();
  vi.useRealTimers();
});

/** Whether anything is drawn over the page. */
const drawn = (): boolean => document.querySelector("html > [popover]") !== null;

const click = { tool: "page_click", arguments: { role: "button" } } as const;
const ask = async (message: ToolMessage): Promise<unknown> => service.take(message);
const aim = (call: string) => ask({ kind: "sidewire-tool-target", call, ...click });
const badge = { kind: "sidewire-tool-badge", call: "turn", text: "acts", stop: "Stop" } as const;

describe("a call", () => {
  it("says what it would act on and where that is; the page as a whole has no name", async () => {
    expect(await aim("one")).toMatchObject({ ok: true, role: "button", name: "Delete", context: 'listitem "lb1"' });
    const scroll = { tool: "page_scroll", arguments: { direction: "down" } } as const;
    const page = await ask({ kind: "sidewire-tool-target", call: "two", ...scroll });
    expect(page).toMatchObject({ ok: true, role: "page", name: "" });
  });

  it("brings its target into view when it is asked to, not before", async () => {
    const seen = vi.fn();
    Object(document.querySelector("button")).scrollIntoView = seen;
    Object(document.querySelector("button")).getBoundingClientRect = () => new DOMRect(0, 9_000, 80, 20);
    await aim("one");
    expect(seen).not.toHaveBeenCalled();
    await ask({ kind: "sidewire-tool-show", call: "another" });
    expect(seen).not.toHaveBeenCalled();
    await ask({ kind: "sidewire-tool-show", call: "one" });
    expect(seen).toHaveBeenCalledTimes(1);
  });

  it("that was refused leaves nothing on the page, and one that ran its outline for a moment", async () => {
    await aim("one");
    expect(drawn()).toBe(true);
    await ask({ kind: "sidewire-tool-end", call: "one" });
    expect(drawn()).toBe(false);
    await aim("two");
    await ask({ kind: "sidewire-tool", call: "two", ...click });
    await ask({ kind: "sidewire-tool-end", call: "two" });
    expect(drawn()).toBe(true);
    await vi.advanceTimersByTimeAsync(800);
    expect(drawn()).toBe(false);
  });
});

describe("the line to the service worker", () => {
  it("is held while somebody is asked or a badge is shown", async () => {
    await aim("one");
    await ask(badge);
    await ask({ kind: "sidewire-tool-end", call: "one" });
    expect(port?.open).toBe(true);
    await ask({ kind: "sidewire-tool-end", call: "turn" });
    expect(port?.open).toBe(false);
    expect(drawn()).toBe(false);
  });

  it("that breaks takes outlines and badge away", async () => {
    await aim("one");
    await ask(badge);
    port?.onDisconnect.emit();
    expect(drawn()).toBe(false);
  });
});
