import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "berth-race");
const MAX_INSTALL_MS = 300_000;
/** Peers of one release ask for versions of each other that were never released, and no script of theirs is needed to run them. */
const FLAGS = ["--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];

/**
 * Installs packages into a folder of their own in the cache of the user, and returns it. A second call with the same list takes
 * what the first has left.
 *
 * @throws when npm does, with the first line that it gives as the reason.
 */
export async function install(packages: readonly string[]): Promise<string> {
  const list = packages.join("\n");
  const folder = join(CACHE, list.replaceAll(/[^\w.]+/g, "-").replace(/^-/, ""));
  if (packages.length === 0 || (await readFile(join(folder, "installed"), "utf8").catch(() => "")) === list)
    return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  try {
    await promisify(execFile)("npm", ["install", ...FLAGS, ...packages], {
      cwd: folder,
      timeout: MAX_INSTALL_MS,
    });
  } catch (error) {
    const text = `${(error as { stderr?: string }).stderr}`;
    const line = /^npm error (?!code |errno |syscall )(.+)$/m.exec(text)?.[1] ?? `${error}`;
    throw new Error(`could not be installed: ${line}`);
  }
  await writeFile(join(folder, "installed"), list);
  return folder;
}
