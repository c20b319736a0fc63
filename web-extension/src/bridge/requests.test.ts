import { beforeEach, describe, expect, it, vi } from "vitest";
import bridge from "../../../contract/schema/bridge-1.json";
import type { RequestFrame } from "../contract/types";
import { Requests } from "./requests";

let sent: RequestFrame[];
let open: boolean;
let requests: Requests;

beforeEach(() => {
  [sent, open] = [[], true];
  requests = new Requests((frame) => {
    if (open) sent.push(frame);
    return open;
  });
});

describe("requests to the worker", () => {
  it("get the answer with their own id, in whatever order", async () => {
    const [one, two] = [requests.ask({ type: "model_list" }), requests.ask({ type: "conversation_list", cursor: "9" })];
    const [first, second] = sent.map(({ requestId }) => requestId);
    expect(first).not.toBe(second);
    requests.answered({ type: "request_error", requestId: second ?? "", code: "not-found", message: "no" });
    requests.answered({ ...bridge.examples.valid.model_page, type: "model_page", requestId: first ?? "" });
    expect(await one).toMatchObject({ ok: true, frame: { type: "model_page" } });
    expect(await two).toEqual({ ok: false, code: "not-found", message: "no" });
  });

  it("all fail at once when the connection closes", async () => {
    const asked = [requests.ask({ type: "model_list" }), requests.ask({ type: "data_delete" })];
    requests.closed();
    for (const answered of await Promise.all(asked))
      expect(answered).toMatchObject({ ok: false, code: "not-connected" });
  });

  it("fail at once without a connection", async () => {
    open = false;
    expect(await requests.ask({ type: "model_list" })).toMatchObject({ ok: false, code: "not-connected" });
  });

  it("do not wait for ever, and a late or doubled answer is dropped", async () => {
    vi.useFakeTimers();
    const asked = requests.ask({ type: "conversation_list" });
    vi.advanceTimersByTime(15_000);
    expect(await asked).toMatchObject({ ok: false, code: "not-connected" });
    requests.answered({ type: "request_done", requestId: sent[0]?.requestId ?? "" });
    vi.useRealTimers();
  });

  it("are bounded", async () => {
    const asked = Array.from({ length: 257 }, () => requests.ask({ type: "model_list" }));
    expect(sent).toHaveLength(256);
    expect(await asked.at(-1)).toMatchObject({ ok: false, code: "conflict" });
    requests.closed();
  });
});
