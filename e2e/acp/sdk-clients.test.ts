/** What an editor does with the agent all day, by clients that are written with the official SDKs. */
import { describe, expect } from "vitest";
import { AcpError, objectOf, ofKind, textOf } from "../harness/acp/client";
import { PYTHON, pythonWithSdk } from "../harness/acp/python";
import { EVERYTHING, test } from "../harness/acp/stage";
import { TYPESCRIPT } from "../harness/acp/typescript";
import { field } from "../harness/json";
import { isTemporary } from "../harness/paths";
import { until } from "../harness/until";

const python = pythonWithSdk();
if ("missing" in python) console.warn(python.missing);
const KINDS = "missing" in python ? [TYPESCRIPT] : [TYPESCRIPT, PYTHON];

/** A red point, 1 by 1. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";

describe.each(KINDS)("the $name", (kind) => {
  test("introduces itself and streams an answer", async ({ stage }) => {
    const talk = await stage.open(kind);
    expect(field(talk.welcome, "protocolVersion")).toBe(1);
    const opened = await talk.begin();
    expect(field(opened["modes"], "currentModeId")).toBe("normal");
    const turn = talk.ask("How are you?");
    const call = await stage.model.call();
    call.write("Very ");
    await until("the first words", () => (textOf(turn.updates) === "Very " ? true : undefined));
    call.write("well.");
    call.finish();
    expect(await turn.stopped()).toBe("end_turn");
    expect(textOf(turn.updates)).toBe("Very well.");
    expect(call.question).toContain("How are you?");
  });

  test("runs tools that need no permission", async ({ stage }) => {
    const path = await stage.write("notes.txt", "the port is 8443\n");
    const talk = await stage.open(kind);
    await talk.begin();
    const { turn, told } = await talk.askWithTools([{ name: "read_file", arguments: { path } }], "It is 8443.");
    expect(await turn.stopped()).toBe("end_turn");
    expect(told.results.join()).toContain("the port is 8443");
    const [call] = ofKind(turn.updates, "tool_call");
    expect(call).toMatchObject({ kind: "read", locations: [{ path }] });
    expect(ofKind(turn.updates, "tool_call_update").at(-1)).toMatchObject({ status: "completed" });
    expect(talk.desk.asked).toContain("fs/read_text_file");
  });

  test("gives and refuses permission", async ({ stage }) => {
    const path = await stage.write("a.txt", "one\n");
    const talk = await stage.open(kind);
    await talk.begin();
    const edit = { name: "edit_file", arguments: { path, old_string: "one", new_string: "two" } };
    talk.desk.choose("reject_once");
    const refused = await talk.askWithTools([edit], "As you wish.");
    expect(await refused.turn.stopped()).toBe("end_turn");
    expect(talk.desk.buffers.get(path)).toBeUndefined();
    expect(ofKind(refused.turn.updates, "tool_call_update").at(-1)).toMatchObject({ status: "failed" });

    talk.desk.choose("allow_once");
    const given = await talk.askWithTools([edit], "Done.");
    expect(await given.turn.stopped()).toBe("end_turn");
    expect(talk.desk.buffers.get(path)).toBe("two\n");
    expect(talk.desk.asked.filter((method) => method === "session/request_permission")).toHaveLength(2);
  });

  test("has what is not saved edited, and sees the difference", async ({ stage }) => {
    const path = await stage.write("a.txt", "saved\n");
    const talk = await stage.open(kind);
    talk.desk.buffers.set(path, "not saved\n");
    await talk.begin();
    talk.desk.choose("allow_once");
    const edit = { name: "edit_file", arguments: { path, old_string: "not saved", new_string: "edited" } };
    const { turn } = await talk.askWithTools([edit], "Done.");
    expect(await turn.stopped()).toBe("end_turn");
    expect(talk.desk.buffers.get(path)).toBe("edited\n");
    expect(await stage.read("a.txt")).toBe("saved\n");
    const contents = ofKind(turn.updates, "tool_call_update").flatMap((update) => update["content"] ?? []);
    expect(contents).toContainEqual({ type: "diff", path, oldText: "not saved\n", newText: "edited\n" });
  });

  test("runs a command in its terminal", async ({ stage, skip }) => {
    skip(isTemporary(), "commands may replace an agent that is built in a temporary folder: editors do not start it");
    const talk = await stage.open(kind);
    await talk.begin();
    talk.desk.choose("allow_once");
    const command = "printf 'it %s' runs > made.txt && cat made.txt";
    const { turn, told } = await talk.askWithTools([{ name: "bash", arguments: { command } }], "It ran.");
    expect(await turn.stopped()).toBe("end_turn");
    expect(told.results.join()).toContain("it runs");
    const terminals = talk.desk.asked.filter((method) => method.startsWith("terminal/"));
    expect(terminals[0]).toBe("terminal/create");
    expect(terminals.at(-1)).toBe("terminal/release");
    expect(await stage.read("made.txt")).toBe("it runs");
  });

  test("shows the model a picture", async ({ stage }) => {
    const talk = await stage.open(kind);
    await talk.begin();
    const turn = talk.ask([
      { type: "text", text: "What is this?" },
      { type: "image", data: PNG, mimeType: "image/png" },
    ]);
    const call = await stage.model.call();
    call.say("A red point.");
    expect(await turn.stopped()).toBe("end_turn");
    expect(call.messages.flatMap(({ pictures }) => pictures)).toEqual([`data:image/png;base64,${PNG}`]);
    expect(call.question).toContain(".sidewire/attachments/");
  });

  test("closes, and loads after the agent was started anew", async ({ stage }) => {
    const first = await stage.open(kind);
    await first.begin();
    const turn = first.ask("Remember the port 8443.");
    (await stage.model.call()).say("I will.");
    expect(await turn.stopped()).toBe("end_turn");
    await first.client.request("session/close", { sessionId: first.session });
    await first.client.close();

    const second = await stage.open(kind);
    const listed = await second.client.request("session/list", { cwd: stage.project });
    expect(field(listed, "sessions")).toMatchObject([{ sessionId: first.session, cwd: stage.project }]);
    const replayed = await second.load(first.session);
    expect(textOf(replayed, "user_message_chunk")).toBe("Remember the port 8443.");
    expect(textOf(replayed)).toBe("I will.");
    const again = second.ask("Which port?");
    const call = await stage.model.call();
    call.say("8443.");
    expect(await again.stopped()).toBe("end_turn");
    expect(call.texts("user").join("\n")).toContain("Remember the port 8443.");
  });

  test("brings an MCP server along", async ({ stage }) => {
    const talk = await stage.open(kind);
    await talk.begin([EVERYTHING]);
    talk.desk.choose("allow_once");
    const echo = { name: "mcp__everything__echo", arguments: { message: "hello there" } };
    const { turn, told } = await talk.askWithTools([echo], "It echoes.");
    expect(await turn.stopped()).toBe("end_turn");
    expect(told.offered).toContain("mcp__everything__echo");
    expect(told.results.join()).toContain("Echo: hello there");
  });

  test("gets a typed error of a model that refuses, without its words", async ({ stage }) => {
    const talk = await stage.open(kind);
    await talk.begin();
    stage.model.answers((call) => call.refuse(403));
    const turn = talk.ask("Are you there?");
    const failure = await turn.stopped().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(AcpError);
    expect(failure).toMatchObject({ code: -32603, data: { code: "turn_failed" } });
    expect(String(failure)).not.toContain("canary-provider-text");
  });

  test("switches modes and options", async ({ stage }) => {
    const talk = await stage.open(kind);
    await talk.begin();
    await talk.client.request("session/set_mode", { sessionId: talk.session, modeId: "plan" });
    const choice = { sessionId: talk.session, configId: "tool_approval", value: "yolo" };
    const options = field(await talk.client.request("session/set_config_option", choice), "configOptions");
    expect(options).toContainEqual(expect.objectContaining({ id: "tool_approval", currentValue: "yolo" }));
    expect(options).toContainEqual(expect.objectContaining({ id: "mode", currentValue: "plan" }));
    const kinds = talk.client.updates.map(({ update }) => objectOf(update)["sessionUpdate"]);
    expect(kinds).toContain("current_mode_update");
  });
});
