/** What an editor's test needs: a home with a scripted model, a project, an agent behind a wiretap. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test as base, expect } from "vitest";
import { Home } from "../home";
import { field } from "../json";
import { MODEL_NAME, type ModelCall, ScriptedModel, type ScriptedToolCall } from "../model";
import { REPOSITORY, WORKER } from "../paths";
import { type AcpClient, CAPABILITIES, type ClientKind, objectOf, type Update } from "./client";
import { Desk } from "./desk";
import { judge, tappedLines } from "./oracle";

const WIRETAP = join(REPOSITORY, "e2e", "harness", "acp", "wiretap.mjs");

/** The official MCP server that offers one of everything, as an editor passes it. */
export const EVERYTHING = {
  name: "everything",
  command: process.execPath,
  args: [join(REPOSITORY, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"), "stdio"],
  env: [],
};

/** One editor and what it is started with. */
export class AcpStage {
  readonly home: Home;
  readonly model: ScriptedModel;
  readonly project: string;
  readonly #log: string;
  readonly #clients: AcpClient[] = [];

  private constructor(home: Home, model: ScriptedModel, folder: string) {
    this.home = home;
    this.model = model;
    this.project = join(folder, "project");
    this.#log = join(folder, "wire.log");
  }

  /** Sets the scene; no agent yet. */
  static async set(): Promise<AcpStage> {
    const [home, model] = await Promise.all([Home.create(), ScriptedModel.start()]);
    // Folders of people have blanks in their names.
    const folder = await realpath(await mkdtemp(join(tmpdir(), "sidewire acp-")));
    const stage = new AcpStage(home, model, folder);
    await mkdir(stage.project);
    await writeFile(stage.#log, "");
    await stage.chooseModel();
    return stage;
  }

  /** Sets the scripted model up, which sees pictures. */
  async chooseModel(): Promise<void> {
    this.model.answers((call) => call.say("ready"));
    const choice = ["--kind", "openai", "--base-url", this.model.baseUrl, "--model", MODEL_NAME, "--yes"];
    await this.home.sidewire("setup", ...choice);
    this.model.answers(null);
    this.model.calls.length = 0;
  }

  /** The command that runs the agent so that everything is written down. */
  get command(): readonly [string, ...string[]] {
    return [process.execPath, WIRETAP, this.#log, WORKER, "acp"];
  }

  /** The same as one line, for a shell and for others that take a line apart as a shell does. */
  get commandLine(): string {
    return lineOf(this.command);
  }

  /** A folder for the search path in which the agent is called `sidewire`. */
  async onPath(): Promise<string> {
    const folder = join(dirname(this.project), "bin");
    await mkdir(folder);
    const program = this.command.slice(0, -1);
    await writeFile(join(folder, "sidewire"), `#!/bin/sh\nexec ${lineOf(program)} "$@"\n`, { mode: 0o755 });
    return folder;
  }

  /** Writes a file of the project. */
  async write(name: string, text: string): Promise<string> {
    const path = join(this.project, name);
    await writeFile(path, text);
    return path;
  }

  /** What a file of the project holds on disk. */
  async read(name: string): Promise<string> {
    return readFile(join(this.project, name), "utf8");
  }

  /** Starts an editor of a kind and introduces it. */
  async open(kind: ClientKind, desk = new Desk()): Promise<Talk> {
    const [command, ...args] = this.command;
    const client = await kind.connect({ command, args, env: this.home.env, desk });
    this.#clients.push(client);
    const welcome = await client.request("initialize", { protocolVersion: 1, clientCapabilities: CAPABILITIES });
    return new Talk(this, client, desk, welcome);
  }

  /** Ends everything, then looks whether all that the agents said is in the protocol. */
  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.model.close();
    await this.home.close();
    const { messages, faults } = judge(tappedLines(await readFile(this.#log, "utf8")));
    await rm(dirname(this.project), { recursive: true, force: true });
    expect(faults).toEqual([]);
    expect(messages).toBeGreaterThan(0);
  }
}

/** Words as a line that a shell takes apart into the same words. */
function lineOf(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}

/** A conversation of an editor with its agent. */
export class Talk {
  readonly client: AcpClient;
  readonly desk: Desk;
  /** What the agent said of itself. */
  readonly welcome: unknown;
  readonly #stage: AcpStage;
  #session = "";

  constructor(stage: AcpStage, client: AcpClient, desk: Desk, welcome: unknown) {
    this.#stage = stage;
    this.client = client;
    this.desk = desk;
    this.welcome = welcome;
  }

  /** The session that is open. */
  get session(): string {
    return this.#session;
  }

  /** Opens a session in the project. */
  async begin(mcpServers: readonly object[] = []): Promise<Record<string, unknown>> {
    const opened = objectOf(await this.client.request("session/new", { cwd: this.#stage.project, mcpServers }));
    this.#session = String(opened["sessionId"]);
    return opened;
  }

  /** Loads a session; gives what was replayed. */
  async load(sessionId: string): Promise<Update[]> {
    const before = this.client.updates.length;
    await this.client.request("session/load", { sessionId, cwd: this.#stage.project, mcpServers: [] });
    this.#session = sessionId;
    return this.client.updates.slice(before);
  }

  /** Asks, and lets the test answer for the model. */
  ask(prompt: string | readonly Record<string, unknown>[]): Turn {
    const blocks = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    const from = this.client.updates.length;
    const answer = this.client.request("session/prompt", { sessionId: this.session, prompt: blocks });
    return new Turn(this.client, from, answer);
  }

  /** Asks something that the model answers with these tool calls and then these words; gives the second call. */
  async askWithTools(calls: readonly ScriptedToolCall[], last: string): Promise<{ turn: Turn; told: ModelCall }> {
    const turn = this.ask("Do it.");
    (await this.#stage.model.call()).use(...calls);
    const told = await this.#stage.model.call();
    told.say(last);
    return { turn, told };
  }
}

/** A prompt that was sent. */
export class Turn {
  readonly #client: AcpClient;
  readonly #from: number;
  readonly #answer: Promise<unknown>;

  constructor(client: AcpClient, from: number, answer: Promise<unknown>) {
    this.#client = client;
    this.#from = from;
    this.#answer = answer;
    // Whoever awaits the end sees the failure; an unawaited turn must not end the test run.
    answer.catch(() => {});
  }

  /** Its updates so far. */
  get updates(): Update[] {
    return this.#client.updates.slice(this.#from);
  }

  /** Why it stopped. */
  async stopped(): Promise<string> {
    return String(field(await this.#answer, "stopReason"));
  }
}

/** A test with one stage. */
export const test = base.extend<{ stage: AcpStage }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures it needs from the pattern.
  stage: async ({}, use) => {
    const stage = await AcpStage.set();
    await use(stage);
    await stage.close();
  },
});
