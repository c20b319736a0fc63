/** A home of its own for everything Sidewire keeps in one test, and the worker in it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { WORKER } from "./paths";
import { until } from "./until";

const run = promisify(execFile);

/** A worker that runs. */
export interface RunningWorker {
  pid: number;
  port: number;
}

/** A home folder, a browser profile beside it, and what is started for them. */
export class Home {
  readonly #folder: string;
  #served: ChildProcess | null = null;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes an empty one. */
  static async create(): Promise<Home> {
    return new Home(await mkdtemp(join(tmpdir(), "sidewire-e2e-")));
  }

  /** What Sidewire's programs, and a browser that starts them, must find in their environment. */
  get env(): Record<string, string> {
    const inherited = Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return { ...Object.fromEntries(inherited), SIDEWIRE_HOME: this.folder };
  }

  /** `SIDEWIRE_HOME`. */
  get folder(): string {
    return join(this.#folder, "home");
  }

  /** The browser's profile. */
  get profile(): string {
    return join(this.#folder, "profile");
  }

  /** Runs a command of the command line and gives what it printed. */
  async sidewire(...args: string[]): Promise<string> {
    const { stdout } = await run(WORKER, args, { env: this.env });
    return stdout;
  }

  /** Starts a worker as a person would; it must not run yet. */
  async serve(...args: string[]): Promise<RunningWorker> {
    this.#served = spawn(WORKER, ["serve", ...args], { env: this.env, stdio: "ignore" });
    return this.running();
  }

  /** The worker that runs, however it was started. */
  async running(): Promise<RunningWorker> {
    return until("a worker", async () => {
      const found = await this.#workerFile();
      return found !== null && isAlive(found.pid) ? found : undefined;
    });
  }

  /** Ends the worker at once, as a crash would, perhaps with the loss of its disk; gives the one that was ended. */
  async kill({ withDatabase = false } = {}): Promise<RunningWorker | null> {
    const found = await this.#workerFile();
    if (found === null) return null;
    if (withDatabase) await this.#removeDatabase();
    signal(found.pid, "SIGKILL");
    await until("the end of the worker", () => (isAlive(found.pid) ? undefined : true));
    return found;
  }

  /** The worker's log. */
  async log(): Promise<string> {
    const folder = join(this.folder, "log");
    const files = await readdir(folder).catch(() => []);
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
    return texts.join("");
  }

  /** Ends what still runs and removes everything. */
  async close(): Promise<void> {
    await this.kill();
    this.#served?.kill("SIGKILL");
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #removeDatabase(): Promise<void> {
    const files = (await readdir(this.folder)).filter((name) => name.startsWith("sidewire.db"));
    await Promise.all(files.map((name) => rm(join(this.folder, name), { force: true })));
  }

  async #workerFile(): Promise<RunningWorker | null> {
    const text = await readFile(join(this.folder, "worker.json"), "utf8").catch(() => "null");
    const found: unknown = JSON.parse(text);
    return isWorker(found) ? found : null;
  }
}

function isWorker(value: unknown): value is RunningWorker {
  if (typeof value !== "object" || value === null || !("pid" in value) || !("port" in value)) return false;
  return typeof value.pid === "number" && typeof value.port === "number";
}

function isAlive(pid: number): boolean {
  return signal(pid, 0);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
