import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");

/** The commit of the release before this one; until there is a release, one that knows which newer schemas it can use. */
export const FORMER_RELEASE = "23b85646ca63c39ec2da2dce39df4fbf853c0fca";

/** Whether this clone has the commit: one without history has not. */
export function hasFormerRelease(): boolean {
  try {
    execFileSync("git", ["cat-file", "-e", `${FORMER_RELEASE}^{commit}`], { cwd: ROOT, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The code of the former release with the libraries of this one, in a directory of its own. */
export class FormerRelease {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async unpack(): Promise<FormerRelease> {
    const directory = mkdtempSync(join(tmpdir(), "berth-former-"));
    const unpack = `git archive ${FORMER_RELEASE} | tar -x -C "$0"`;
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

/** Links each library, and its own packages instead of this repository's. */
function linkLibraries(from: string, to: string): void {
  const link = (name: string) => symlinkSync(join(from, name), join(to, name));
  mkdirSync(join(to, "@berth"), { recursive: true });
  for (const name of readdirSync(from)) if (name !== "@berth" && name !== ".cache") link(name);
  for (const name of readdirSync(join(from, "@berth")))
    symlinkSync(join("../../packages", name), join(to, "@berth", name));
}
