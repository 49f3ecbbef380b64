import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");

/**
 * Returns the commit of the newest release before the present commit, by its tag. Before the first release, and
 * in a clone without tags, returns the present commit: an upgrade is then a restart.
 */
export function formerRelease(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  const tags = git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname").split("\n");
  return git("rev-parse", "--verify", `${tags[0] || "HEAD"}^{commit}`);
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
