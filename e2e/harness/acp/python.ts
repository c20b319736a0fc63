/** A client written with the official Python SDK: `client.py` in an environment that `ensure-python-client` makes. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { field } from "../json";
import { REPOSITORY } from "../paths";
import { type AcpClient, AcpError, type ClientKind, type Launch, objectOf, type Update } from "./client";
import type { Desk } from "./desk";

/** The official Python SDK. */
export const PYTHON: ClientKind = { name: "Python SDK", connect };

type Found = { python: string } | { missing: string };

/** What was found; looking takes a moment, and installs what is missing. */
let found: Found | undefined;

/** The Python of the environment with the SDK, or why there is none. */
export function pythonWithSdk(): Found {
  found ??= look();
  return found;
}

function look(): Found {
  try {
    const printed = execFileSync(join(REPOSITORY, "e2e", "ensure-python-client"), { encoding: "utf8" });
    return { python: printed.trim() };
  } catch (error) {
    return { missing: String(field(error, "stderr")).trim() };
  }
}

async function connect({ command, args, env, desk }: Launch): Promise<AcpClient> {
  const sdk = pythonWithSdk();
  if ("missing" in sdk) throw new Error(sdk.missing);
  const program = join(REPOSITORY, "e2e", "harness", "acp", "client.py");
  const bridge = spawn(sdk.python, [program, command, ...args], { env, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(bridge, "exit");
  const link = new Link((message) => bridge.stdin.write(`${JSON.stringify(message)}\n`), desk);
  createInterface({ input: bridge.stdout }).on("line", (line) => link.take(JSON.parse(line)));
  void ended.then(() => link.fail());
  return {
    updates: link.updates,
    request: (method, params) => link.request(method, params),
    cancel: async (sessionId) => {
      await link.request("session/cancel", { sessionId });
    },
    close: async () => {
      bridge.stdin.end();
      await ended;
    },
  };
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Our end of the two pipes to `client.py`. */
class Link {
  readonly updates: Update[] = [];
  readonly #send: (message: Record<string, unknown>) => void;
  readonly #desk: Desk;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor(send: (message: Record<string, unknown>) => void, desk: Desk) {
    this.#send = send;
    this.#desk = desk;
  }

  request(method: string, params: Record<string, unknown>): Promise<unknown> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  /** The client has ended; nothing is answered any more. */
  fail(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error("the Python client has ended"));
  }

  take(message: unknown): void {
    const [id, update, ask] = [field(message, "id"), field(message, "update"), field(message, "ask")];
    if (typeof id === "number") this.#answer(id, message);
    else if (update !== undefined) {
      this.updates.push({ sessionId: String(field(update, "sessionId")), update: objectOf(field(update, "update")) });
    } else if (typeof ask === "number") {
      const asked = serve(this.#desk, String(field(message, "method")), Object(field(message, "params")));
      asked.then((result) => this.#send({ reply: ask, result })).catch(() => this.#send({ reply: ask, result: {} }));
    } else throw new Error(`the Python client said ${JSON.stringify(message)}`);
  }

  #answer(id: number, message: unknown): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    const error = field(message, "error");
    if (error === undefined) waiting?.resolve(field(message, "result"));
    else
      waiting?.reject(
        new AcpError(Number(field(error, "code")), String(field(error, "message")), field(error, "data")),
      );
  }
}

/** The desk's answer to a request of the agent; the Python SDK has checked it already. */
async function serve(desk: Desk, method: string, params: Parameters<Desk["requestPermission"]>[0] & Files & Commands) {
  switch (method) {
    case "session/request_permission":
      return desk.requestPermission(params);
    case "fs/read_text_file":
      return desk.readTextFile(params);
    case "fs/write_text_file":
      return desk.writeTextFile(params);
    case "terminal/create":
      return desk.createTerminal(params);
    case "terminal/output":
      return desk.terminalOutput(params);
    case "terminal/wait_for_exit":
      return desk.waitForExit(params);
    case "terminal/kill":
      return desk.killTerminal(params);
    case "terminal/release":
      return desk.releaseTerminal(params);
    default:
      throw new Error(`the agent asked for ${method}`);
  }
}

type Files = { path: string; content: string };
type Commands = Parameters<Desk["createTerminal"]>[0] & { terminalId: string };
