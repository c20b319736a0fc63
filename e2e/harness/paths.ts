/** Where the parts under test lie. */
import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
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

export const REPOSITORY = findRepository();
const target = resolve(REPOSITORY, process.env["CARGO_TARGET_DIR"] ?? "target");
export const WORKER = join(target, "debug", "sidewire");
export const HOST = join(target, "debug", "sidewire-host");
export const EXTENSION = join(REPOSITORY, "web-extension", ".output", "chrome-mv3");
export const ARTIFACTS = join(REPOSITORY, "e2e", "artifacts");

/** The browser's own program; throws with the one command to run when there is none. */
export function browserProgram(): string {
  return execFileSync(join(REPOSITORY, "e2e", "ensure-browser"), { encoding: "utf8" }).trim();
}
