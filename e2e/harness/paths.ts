/** Where the parts under test lie. */
import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository: the nearest folder above that holds the workspace. */
function findRepository(): string {
  let folder = dirname(realpathSync(fileURLToPath(import.meta.url)));
  while (!existsSync(join(folder, "Cargo.lock"))) {
    const above = dirname(folder);
    if (above === folder) throw new Error("not inside the Sidewire repository");
    folder = above;
  }
  return folder;
}

/** The repository's folder. */
export const REPOSITORY = findRepository();

const target = resolve(REPOSITORY, process.env["CARGO_TARGET_DIR"] ?? "target");
/** The program `sidewire`. */
export const WORKER = join(target, "debug", "sidewire");
/** Whether the worker lies where every command may write, so that editors do not start it. */
export function isTemporary(): boolean {
  const here = realpathSync(WORKER);
  return ["/tmp", "/var/tmp", "/dev/shm", realpathSync(tmpdir())].some((folder) => here.startsWith(`${folder}/`));
}

/** The native messaging host. */
export const HOST = join(target, "debug", "sidewire-host");

const build = resolve(REPOSITORY, "web-extension", process.env["SIDEWIRE_BUILD_DIR"] ?? ".output");
/** The built extension; `SIDEWIRE_BUILD_DIR` means the same here as in its build. */
export const EXTENSION = join(build, "chrome-mv3");

/** Pictures and logs of a run; not in the repository. */
export const ARTIFACTS = join(REPOSITORY, "e2e", "artifacts");

/** The browser's own program; throws with the one command to run when there is none. */
export function browserProgram(): string {
  return execFileSync(join(REPOSITORY, "e2e", "ensure-browser"), { encoding: "utf8" }).trim();
}
