import type { RepositoryChanges } from "@berth/sdk";
import type { Palette } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { count } from "../../terminal/quantities.ts";
import { table } from "../../terminal/table.ts";

type File = RepositoryChanges["files"][number];

const LETTERS: Readonly<Record<File["status"], string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  type_changed: "T",
};

/** Returns lines about the changes in a repository: its path, commits and files. */
export function changedLines(repository: RepositoryChanges, palette: Palette): string[] {
  const { mount_path, reason, branch, commits, commit_count, files, file_count } = repository;
  const { bold, dim } = palette;
  if (reason !== null) return [`${bold(mount_path)}  ${plainLine(reason)}`];
  return [
    `${bold(mount_path)}  ${branch === null ? "detached" : plainLine(branch)}${rewritten(repository)}`,
    ...table(commits.map((commit) => commitRow(commit, palette))),
    ...more(commits.length, commit_count, "commits", dim),
    ...table(files.map((file) => fileRow(file, palette))),
    ...more(files.length, file_count, "files", dim),
  ];
}

function rewritten({ base_is_ancestor }: RepositoryChanges): string {
  return base_is_ancestor ? "" : ", history rewritten: it does not contain the cloned commit";
}

function commitRow({ sha, subject, pushed }: RepositoryChanges["commits"][number], palette: Palette) {
  return [`  ${palette.yellow(sha.slice(0, 10))}`, pushed ? "pushed" : "local", plainLine(subject)];
}

function fileRow({ path, old_path, status, type, additions, deletions, binary }: File, palette: Palette) {
  const renamed = old_path === null ? "" : `${plainLine(old_path)} → `;
  const lines = [palette.green(`+${count(additions ?? 0)}`), palette.red(`-${count(deletions ?? 0)}`)].join(
    " ",
  );
  const numbers = additions === null ? palette.dim(binary ? "binary" : type) : lines;
  return [`  ${LETTERS[status]}`, numbers, `${renamed}${plainLine(path)}`];
}

function more(shown: number, all: number, what: string, dim: Palette["dim"]): string[] {
  return shown < all ? [dim(`  and ${count(all - shown)} more ${what}`)] : [];
}
