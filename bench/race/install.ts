import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "berth-race");
const MAX_INSTALL_MS = 300_000;
/**
 * Peers of one release require versions of each other that were never released, and none of their install
 * scripts is needed.
 */
const FLAGS = ["--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];

/**
 * Installs packages into their own folder in the user's cache, and returns it. A second call with the same
 * list uses the first one's.
 *
 * @throws if npm fails, with the first line that it gives as the reason.
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
