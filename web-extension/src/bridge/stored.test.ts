import { describe, expect, it, vi } from "vitest";
import type { FakePort } from "../shared/testing/fake-chrome";
import {
  accept,
  ask,
  CONVERSATION,
  fake,
  keyOf,
  OTHER,
  record,
  shown,
  startConnected,
  transcript,
  useBrowser,
} from "./testing/stage";

useBrowser();

describe("a pinned preview", () => {
  async function pin(port: FakePort): Promise<string> {
    port.receive({ kind: "preview", key: keyOf(port), requestId: "p1" });
    await vi.waitFor(() => expect(port.last("reply")).toBeDefined());
    return String(Object(port.last("reply")?.["body"]).preview.token);
  }

  it("is sent with the next question", async () => {
    const port = await startConnected();
    const previewToken = await pin(port);
    port.receive({ kind: "ask", key: keyOf(port), text: "?", mode: "educational", attachPage: true, previewToken });
    await vi.waitFor(() => expect(fake.native.last("chat_request")).toMatchObject({ context: { tabId: 7 } }));
  });

  it("does not outlive the document, even at the same address", async () => {
    const port = await startConnected();
    const previewToken = await pin(port);
    fake.tabs.onUpdated.emit(7, { status: "loading" });
    port.receive({ kind: "ask", key: keyOf(port), text: "?", mode: "educational", attachPage: true, previewToken });
    await vi.waitFor(() => expect(port.last("not-sent")).toMatchObject({ text: "?", reason: "page-changed" }));
    expect(fake.native.ofKind("chat_request")).toEqual([]);
  });
});

describe("stored conversations", () => {
  it("are opened, read in pages, and watched when a turn of theirs still runs", async () => {
    const port = await startConnected();
    port.receive({ kind: "open", conversation: OTHER });
    await vi.waitFor(() => expect(fake.native.last("conversation_get")).toBeDefined());
    const page = Object(
      transcript(Object(fake.native.last("conversation_get")), OTHER, [record("c-9", "", "running")]),
    );
    fake.native.receive({ ...page, before: "4" });
    await vi.waitFor(() => expect(shown(port)).toMatchObject({ id: OTHER, before: "4", turns: [{ id: "c-9" }] }));
    expect(fake.native.last("resume")).toEqual({ type: "resume", turns: ["c-9"] });

    port.receive({ kind: "older", key: keyOf(port), requestId: "p1" });
    await vi.waitFor(() => expect(fake.native.last("conversation_get")).toMatchObject({ before: "4" }));
    fake.native.receive(transcript(Object(fake.native.last("conversation_get")), OTHER, [record("c-8", "older")]));
    await vi.waitFor(() => expect(port.last("reply")).toMatchObject({ requestId: "p1" }));
    expect(port.last("older")).toMatchObject({ turns: [{ id: "c-8" }] });
  });

  it("that are gone leave the panel where it is", async () => {
    const port = await startConnected();
    accept(await ask(port));
    port.receive({ kind: "open", conversation: OTHER });
    await vi.waitFor(() => expect(fake.native.last("conversation_get")).toBeDefined());
    const { requestId } = Object(fake.native.last("conversation_get"));
    fake.native.receive({ type: "request_error", requestId, code: "not-found", message: "no such conversation" });
    await vi.waitFor(() => expect(port.ofKind("conversation").length).toBeGreaterThan(2));
    expect(shown(port)).toMatchObject({ id: CONVERSATION });
  });

  it("are branched from an earlier question", async () => {
    const port = await startConnected();
    const id = await ask(port);
    accept(id);
    fake.native.receive({ type: "chat_done", id });
    port.receive({
      kind: "branch",
      key: keyOf(port),
      turn: id,
      text: "Again?",
      mode: "educational",
      attachPage: false,
    });
    await vi.waitFor(() => expect(fake.native.last("conversation_branch")).toMatchObject({ before: id }));
    fake.native.receive(transcript(Object(fake.native.last("conversation_branch")), OTHER, []));
    await vi.waitFor(() => expect(fake.native.ofKind("chat_request")).toHaveLength(2));
    expect(fake.native.last("chat_request")).toMatchObject({ text: "Again?", history_hint: OTHER, context: null });
  });
});
