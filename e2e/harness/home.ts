/** A home of its own for everything Sidewire keeps in one test, and the worker in it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { WORKER } from "./paths";

const run = promisify(execFile);

interface WorkerFile {
  pid: number;
  port: number;
}

export class Home {
  private worker: ChildProcess | null = null;

  private constructor(readonly folder: string) {}

  static async create(): Promise<Home> {
    return new Home(await mkdtemp(join(tmpdir(), "sidewire-e2e-")));
  }

  get env(): NodeJS.ProcessEnv {
    return { ...process.env, SIDEWIRE_HOME: join(this.folder, "home") };
  }

  get profile(): string {
    return join(this.folder, "profile");
  }

  /** Runs a command of the command line and gives what it printed. */
  async sidewire(...args: string[]): Promise<string> {
    const { stdout } = await run(WORKER, args, { env: this.env });
    return stdout;
  }

  /** Starts a worker as a person would; it must not run yet. */
  async serve(...args: string[]): Promise<WorkerFile> {
    this.worker = spawn(WORKER, ["serve", ...args], { env: this.env, stdio: ["ignore", "ignore", "inherit"] });
    return this.running();
  }

  /** The worker that runs, however it was started. */
  async running(): Promise<WorkerFile> {
    for (let waited = 0; waited < 20_000; waited += 25) {
      const found = await this.workerFile();
      if (found !== null && isAlive(found.pid)) return found;
      await sleep(25);
    }
    throw new Error("no worker started");
  }

  /** Ends the worker at once, as a crash would. */
  async kill(): Promise<void> {
    const found = await this.workerFile();
    if (found === null) return;
    signal(found.pid, "SIGKILL");
    while (isAlive(found.pid)) await sleep(10);
  }

  /** Ends what still runs and removes everything. */
  async close(): Promise<void> {
    await this.kill();
    this.worker?.kill("SIGKILL");
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async workerFile(): Promise<WorkerFile | null> {
    try {
      const found: WorkerFile = JSON.parse(await readFile(join(this.folder, "home", "worker.json"), "utf8"));
      return found;
    } catch {
      return null;
    }
  }
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
