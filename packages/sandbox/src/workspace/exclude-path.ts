import type { Sandbox } from "../interface/sandbox.ts";
import { shellScript } from "../scripts/read-script.ts";

const EXCLUDE = shellScript("workspace/git.sh", "workspace/exclude.sh");
const TRACKED = 95;
const TIMEOUT_MS = 60_000;

/** A path in a clone. */
export interface ClonePath {
  /** Path of the clone in the sandbox. */
  clone: string;
  /** Path relative to the clone, without control characters. */
  path: string;
}

/**
 * Makes git ignore a path in a clone, by `.git/info/exclude`, which no commit contains. Returns `tracked`,
 * and changes nothing, when the repository has something at the path. Returns `failed` when there is no
 * clone, or the sandbox ended.
 */
export async function excludePath(
  sandbox: Pick<Sandbox, "run">,
  place: ClonePath,
): Promise<"excluded" | "tracked" | "failed"> {
  const { exitCode } = await run(sandbox, place, {});
  if (exitCode === TRACKED) return "tracked";
  return exitCode === 0 ? "excluded" : "failed";
}

/** Undoes `excludePath`. Does nothing when the clone is gone. */
export async function includePath(sandbox: Pick<Sandbox, "run">, place: ClonePath): Promise<void> {
  await run(sandbox, place, { BERTH_EXCLUDE_UNDO: "1" });
}

function run(sandbox: Pick<Sandbox, "run">, { clone, path }: ClonePath, more: Record<string, string>) {
  const environment = {
    BERTH_CLONE_TARGET: clone,
    BERTH_EXCLUDE_PATH: path,
    BERTH_EXCLUDE_PATTERN: ignorePattern(path),
    ...more,
  };
  return sandbox.run({ script: EXCLUDE, cwd: "/", environment, timeoutMs: TIMEOUT_MS });
}

/** Returns git's pattern that matches exactly this path. */
export function ignorePattern(path: string): string {
  return `/${path.replace(/[\\*?[]/g, "\\$&").replace(/ +$/, (blanks) => "\\ ".repeat(blanks.length))}`;
}
