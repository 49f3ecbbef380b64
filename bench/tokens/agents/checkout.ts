import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Place } from "./contender.ts";

/** Creates the repository with one commit, in `work/shop` of the folder. Returns its path. */
export async function checkout({ folder, files }: Place): Promise<string> {
  const root = join(folder, "work/shop");
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const author = ["-c", "user.name=Bench", "-c", "user.email=bench@example.com"];
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
    [...author, "commit", "--quiet", "--message", "The shop"],
  ])
    await promisify(execFile)("git", args, { cwd: root });
  return root;
}
