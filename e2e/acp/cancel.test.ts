/** Cancelling in every phase of a turn: the prompt is answered `cancelled` at once, and the next one works. */
import { describe, expect } from "vitest";
import { ofKind, textOf } from "../harness/acp/client";
import { PYTHON, pythonWithSdk } from "../harness/acp/python";
import { type AcpStage, EVERYTHING, type Talk, type Turn, test } from "../harness/acp/stage";
import { TYPESCRIPT } from "../harness/acp/typescript";
import { isTemporary } from "../harness/paths";
import { until } from "../harness/until";

/** A tool of the official MCP server that takes as long as it is told. */
const LONG = "mcp__everything__trigger-long-running-operation";
const KINDS = "missing" in pythonWithSdk() ? [TYPESCRIPT] : [TYPESCRIPT, PYTHON];

/** The one phase that needs an agent which an editor starts in its terminals. */
const IN_TERMINAL = "while a command runs in the terminal";

/** Phases, and how a turn gets into each. */
const PHASES: Record<string, (stage: AcpStage, talk: Talk) => Promise<Turn>> = {
  "while the model is silent": async (stage, talk) => {
    const turn = talk.ask("Think.");
    await stage.model.call();
    return turn;
  },
  "while the answer streams": async (stage, talk) => {
    const turn = talk.ask("Write.");
    (await stage.model.call()).write("Once upon a time");
    await until("words", () => (textOf(turn.updates) === "" ? undefined : true));
    return turn;
  },
  "while a card waits": async (stage, talk) => {
    const turn = talk.ask("Write a file.");
    const path = `${stage.project}/a.txt`;
    (await stage.model.call()).use({ name: "write_file", arguments: { path, content: "a" } });
    await talk.desk.card();
    return turn;
  },
  "while the editor looks for a file": async (stage, talk) => {
    talk.desk.mayRead = new Promise(() => {});
    const turn = talk.ask("Read a file.");
    const path = await stage.write("a.txt", "a");
    (await stage.model.call()).use({ name: "read_file", arguments: { path } });
    await until("the question for the file", () => (talk.desk.asked.length === 0 ? undefined : true));
    return turn;
  },
  "while an MCP tool works": async (stage, talk) => {
    talk.desk.choose("allow_once");
    const turn = talk.ask("Take your time.");
    const long = { name: LONG, arguments: { duration: 1000, steps: 1000 } };
    (await stage.model.call()).use(long);
    await until("the call", () => ofKind(turn.updates, "tool_call")[0]);
    return turn;
  },
  [IN_TERMINAL]: async (stage, talk) => {
    talk.desk.choose("allow_once");
    const turn = talk.ask("Run it.");
    (await stage.model.call()).use({ name: "bash", arguments: { command: "touch started && exec tail -f /dev/null" } });
    await until("the command", () =>
      stage
        .read("started")
        .then(() => true)
        .catch(() => undefined),
    );
    expect(talk.desk.asked).toContain("terminal/create");
    return turn;
  },
};

describe.each(KINDS)("the $name cancels", (kind) => {
  for (const [phase, enter] of Object.entries(PHASES)) {
    test(phase, async ({ stage, skip }) => {
      skip(phase === IN_TERMINAL && isTemporary(), "an agent that is built in a temporary folder has no terminal");
      const talk = await stage.open(kind);
      await talk.begin([EVERYTHING]);
      const turn = await enter(stage, talk);
      await talk.client.cancel(talk.session);
      expect(await turn.stopped()).toBe("cancelled");
      for (const update of ofKind(turn.updates, "tool_call")) {
        const last = ofKind(turn.updates, "tool_call_update").filter(
          (one) => one["toolCallId"] === update["toolCallId"],
        );
        expect(last.at(-1)).toMatchObject({ status: "failed" });
      }
      const again = talk.ask("And now?");
      (await stage.model.call()).say("Here I am.");
      expect(await again.stopped()).toBe("end_turn");
      expect(textOf(again.updates)).toBe("Here I am.");
      expect(talk.desk.buffers.size).toBe(0);
    });
  }
});
