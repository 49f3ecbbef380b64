import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const PREFIX = "berth-shared-release-";

/**
 * Returns the directory of a release that script/release builds from this source. All tests share it: the
 * first one builds it, and nobody may change it. With uncommitted changes, each process builds its own.
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

/** Returns a key of the commit and the path of this clone. */
function keyOfSource(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  const own = git("status", "--porcelain") === "" ? git("rev-parse", "HEAD") : randomUUID();
  return createHash("sha256").update(`${ROOT} ${own}`).digest("hex").slice(0, 16);
}
