import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";

/** Returns one sentence why the checked-out commit cannot be tagged as a release; undefined if it can. */
export async function tagFault(root: string, version: string): Promise<string | undefined> {
  const changes = await run("git", ["status", "--porcelain"], root);
  if (changes !== "")
    return `the tag would not have what is built here: commit ${changes.slice(3).split("\n")[0]} first.`;
  if ((await run("git", ["tag", "--list", tagOf(version)], root)) !== "")
    return `the tag ${tagOf(version)} exists already; a release has a version of its own.`;
  const headings = readFileSync(join(root, "CHANGELOG.md"), "utf8").split("\n");
  const date =
    headings.find((line) => line.startsWith(`## ${version} `))?.slice(`## ${version} `.length) ?? "";
  if (/^\(\d{4}-\d{2}-\d{2}\)$/.test(date)) return undefined;
  return `CHANGELOG.md has no day of the release: its heading should be like '## ${version} (2026-01-31)'.`;
}

/** Tags the checked-out commit, without pushing. Returns the tag's name. */
export async function tagRelease(root: string, version: string): Promise<string> {
  await run("git", ["tag", "--annotate", "--message", `Berth ${version}`, tagOf(version)], root);
  return tagOf(version);
}

function tagOf(version: string): string {
  return `v${version}`;
}
