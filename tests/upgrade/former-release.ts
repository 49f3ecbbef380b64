import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");

/**
 * A file that was added in the previous release. Before the first release, it marks an early commit that runs
 * with the present libraries. A file is used because a commit's hash changes when histories are joined.
 */
const CAME_WITH = "packages/cli/src/commands/completion/complete.ts";

/** Returns the commit of the previous release; null in a clone without history. */
export function formerRelease(): string | null {
  const args = ["log", "--diff-filter=A", "--format=%H", "--", CAME_WITH];
  const found = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim().split("\n").at(-1);
  return found === undefined || found === "" || isFirst(found) ? null : found;
}

/**
 * Whether a commit is the first one of a clone. In a shallow clone that has all files, so it is not a former
 * release.
 */
function isFirst(commit: string): boolean {
  const parents = execFileSync("git", ["log", "-1", "--format=%P", commit], { cwd: ROOT, encoding: "utf8" });
  return parents.trim() === "";
}

/** The code of the former release with the present libraries, in its own directory. */
export class FormerRelease {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async unpack(commit: string): Promise<FormerRelease> {
    const directory = mkdtempSync(join(tmpdir(), "berth-former-"));
    const unpack = `git archive ${commit} | tar -x -C "$0"`;
    await promisify(execFile)("bash", ["-o", "pipefail", "-c", unpack, directory], { cwd: ROOT });
    linkLibraries(join(ROOT, "node_modules"), join(directory, "node_modules"));
    return new FormerRelease(directory);
  }

  get binary(): string {
    return join(this.#directory, "bin/berth");
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Links each library, and links the release's own packages instead of this repository's. */
function linkLibraries(from: string, to: string): void {
  const link = (name: string) => symlinkSync(join(from, name), join(to, name));
  mkdirSync(join(to, "@berth"), { recursive: true });
  for (const name of readdirSync(from)) if (name !== "@berth" && name !== ".cache") link(name);
  for (const name of readdirSync(join(from, "@berth")))
    symlinkSync(join("../../packages", name), join(to, "@berth", name));
}
