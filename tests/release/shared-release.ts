import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const PREFIX = "berth-shared-release-";

/**
 * Returns the directory of what script/release makes of this source. All tests that read it share one: the first builds it, others wait.
 * Nobody may change it. Of a source with changes that are not committed, each process builds its own.
 */
export function sharedRelease(): string {
  const name = `${PREFIX}${keyOfSource()}`;
  const directory = join(tmpdir(), name);
  for (const other of readdirSync(tmpdir()).filter((one) => one.startsWith(PREFIX) && !one.startsWith(name)))
    rmSync(join(tmpdir(), other), { recursive: true, force: true });
  const build = `[ -e "$1" ] || { rm -rf "$1.part" && "$0" "$1.part" && mv "$1.part" "$1"; }`;
  const command = [`${directory}.lock`, "sh", "-ec", build, join(ROOT, "script/release"), directory];
  execFileSync("flock", command, { stdio: ["ignore", "ignore", "inherit"] });
  return directory;
}

/** Of the commit's files and of the place of this clone. */
function keyOfSource(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  const own = git("status", "--porcelain") === "" ? git("rev-parse", "HEAD") : randomUUID();
  return createHash("sha256").update(`${ROOT} ${own}`).digest("hex").slice(0, 16);
}
