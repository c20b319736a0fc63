/** An editor's desk: files that may not be saved, terminals that run real commands, cards that are answered. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";

/** What is chosen on a card: a kind of option, or to answer nothing. */
export type Choice = "allow_once" | "allow_always" | "reject_once" | "cancelled";

/** A card that waits. */
export interface Card {
  title: string;
  kinds: string[];
  choose(choice: Choice): void;
}

interface CardParams {
  toolCall: { title?: string | null | undefined };
  options: readonly { optionId: string; kind: string }[];
}

/** The answer to a card. */
export interface CardAnswer {
  outcome: { outcome: "selected"; optionId: string } | { outcome: "cancelled" };
}

interface CommandParams {
  command: string;
  args?: readonly string[] | null | undefined;
  cwd?: string | null | undefined;
  env?: readonly { name: string; value: string }[] | null | undefined;
}

/** How a terminal ended. */
export interface TerminalExit {
  exitCode: number | null;
  signal: string | null;
}

interface Terminal {
  process: ChildProcess;
  output: string;
  exit: TerminalExit | null;
  ended: Promise<TerminalExit>;
}

/** Plays the person and the editor around an ACP client, whichever SDK it is written with. */
export class Desk {
  /** Open texts, by path. */
  readonly buffers = new Map<string, string>();
  /** Methods the agent used, in order. */
  readonly asked: string[] = [];
  /** Files are read once this has resolved. */
  mayRead: Promise<void> = Promise.resolve();
  readonly #terminals = new Map<string, Terminal>();
  readonly #choices: Choice[] = [];
  readonly #cards: Card[] = [];
  readonly #takers: ((card: Card) => void)[] = [];

  /** What is chosen on the next card that nobody waits for. */
  choose(choice: Choice): void {
    this.#choices.push(choice);
  }

  /** The next card. */
  async card(): Promise<Card> {
    const waiting = this.#cards.shift();
    if (waiting !== undefined) return waiting;
    return new Promise((resolve) => {
      this.#takers.push(resolve);
    });
  }

  /** `session/request_permission`. */
  requestPermission({ toolCall, options }: CardParams): Promise<CardAnswer> {
    this.asked.push("session/request_permission");
    return new Promise((resolve) => {
      const choose = (choice: Choice) => resolve(answerOf(options, choice));
      const scripted = this.#choices.shift();
      const card = { title: toolCall.title ?? "", kinds: options.map(({ kind }) => kind), choose };
      if (scripted !== undefined) choose(scripted);
      else this.#hand(card);
    });
  }

  /** `fs/read_text_file`. */
  async readTextFile({ path }: { path: string }): Promise<{ content: string }> {
    this.asked.push("fs/read_text_file");
    await this.mayRead;
    return { content: this.buffers.get(path) ?? (await readFile(path, "utf8")) };
  }

  /** `fs/write_text_file`. */
  async writeTextFile({ path, content }: { path: string; content: string }): Promise<Record<string, never>> {
    this.asked.push("fs/write_text_file");
    this.buffers.set(path, content);
    return {};
  }

  /** `terminal/create`: the command is a program, as the protocol has it. */
  createTerminal({ command, args, cwd, env }: CommandParams): { terminalId: string } {
    this.asked.push("terminal/create");
    const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
    const child = spawn(command, [...(args ?? [])], {
      cwd: cwd ?? undefined,
      env: { ...process.env, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise<TerminalExit>((resolve) => {
      child.on("error", () => resolve({ exitCode: 127, signal: null }));
      child.on("close", (exitCode, signal) => resolve({ exitCode, signal }));
    });
    const terminal: Terminal = { process: child, output: "", exit: null, ended };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        terminal.output += text;
      });
    }
    const terminalId = `terminal-${this.#terminals.size + 1}`;
    this.#terminals.set(terminalId, terminal);
    void ended.then((exit) => {
      terminal.exit = exit;
    });
    return { terminalId };
  }

  /** `terminal/output`. */
  terminalOutput(params: { terminalId: string }): { output: string; truncated: boolean; exitStatus?: TerminalExit } {
    this.asked.push("terminal/output");
    const { output, exit } = this.#terminal(params);
    return { output, truncated: false, ...(exit === null ? {} : { exitStatus: exit }) };
  }

  /** `terminal/wait_for_exit`. */
  async waitForExit(params: { terminalId: string }): Promise<TerminalExit> {
    this.asked.push("terminal/wait_for_exit");
    return this.#terminal(params).ended;
  }

  /** `terminal/kill`. */
  killTerminal(params: { terminalId: string }): Record<string, never> {
    this.asked.push("terminal/kill");
    this.#terminal(params).process.kill("SIGKILL");
    return {};
  }

  /** `terminal/release`. */
  releaseTerminal(params: { terminalId: string }): Record<string, never> {
    this.asked.push("terminal/release");
    this.#terminal(params).process.kill("SIGKILL");
    return {};
  }

  #terminal({ terminalId }: { terminalId: string }): Terminal {
    const terminal = this.#terminals.get(terminalId);
    if (terminal === undefined) throw new Error(`no terminal ${terminalId}`);
    return terminal;
  }

  #hand(card: Card): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#cards.push(card);
    else taker(card);
  }
}

function answerOf(options: CardParams["options"], choice: Choice): CardAnswer {
  const option = options.find(({ kind }) => kind === choice);
  if (option === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}
