import type { RuntimeName } from "@berth/contract";
import { readDevcontainerFeatures } from "./devcontainer-features.ts";
import { readBunLock, readPnpmLock, readYarnLock } from "./lock-files.ts";
import { readPackageJson } from "./package-json.ts";
import { readMise, readPyproject, readRustToolchain } from "./toml-files.ts";
import { readGoMod, readSdkmanrc, readToolVersions, readVersionFile } from "./version-files.ts";
import { type IgnoredLine, type ParsedFile, unreadable, type Wish } from "./wish.ts";

/** The places of a `devcontainer.json`, of which the first that exists counts. */
export const DEVCONTAINER_FILES = [".devcontainer/devcontainer.json", ".devcontainer.json"] as const;

/** Files that ask for runtimes. Of two that name one, the first counts. */
const READERS: readonly [file: string, read: (text: string) => ParsedFile][] = [
  [".tool-versions", readToolVersions],
  ["mise.toml", readMise],
  [".mise.toml", readMise],
  [".nvmrc", (text) => readVersionFile("node", text)],
  [".node-version", (text) => readVersionFile("node", text)],
  [".python-version", (text) => readVersionFile("python", text)],
  [".java-version", (text) => readVersionFile("java", text)],
  [".sdkmanrc", readSdkmanrc],
  ["rust-toolchain.toml", readRustToolchain],
  ["rust-toolchain", readRustToolchain],
  ["go.mod", readGoMod],
  ["package.json", readPackageJson],
  ["pyproject.toml", readPyproject],
  [DEVCONTAINER_FILES[0], readDevcontainerFeatures],
  [DEVCONTAINER_FILES[1], readDevcontainerFeatures],
];

/**
 * Files that package managers write, of which the format says who reads them. They count where no other file
 * of any repository asks for the package manager.
 */
const LOCK_READERS: typeof READERS = [
  ["pnpm-lock.yaml", readPnpmLock],
  ["yarn.lock", readYarnLock],
  ["bun.lock", readBunLock],
];

/** The names of the files that are read whole, below the directory of a repository. */
export const CHOICE_FILES: readonly string[] = READERS.map(([file]) => file);
/** Those of the files of which the first 4 KiB are enough. */
export const LOCK_FILES: readonly string[] = LOCK_READERS.map(([file]) => file);

/** A file of a repository, as it was read. */
export interface RepositoryFile {
  file: string;
  /** Its text, or why it was not read, as a clause. */
  content: { text: string } | { fault: string };
}

/** The files of one repository, of which `id` is any name. */
export interface RepositoryFiles {
  id: string;
  files: readonly RepositoryFile[];
}

/** The line of a file that a choice comes from. */
export interface Place {
  /** The repository. */
  id: string;
  file: string;
}

/** A wish of a file. */
export type PlacedWish = Wish & Place;

export interface Choice {
  /** One for each runtime that a file asks for. */
  wishes: readonly PlacedWish[];
  /** Further wishes for the same runtimes, which do not count. */
  outranked: readonly PlacedWish[];
  ignored: readonly (IgnoredLine & Place)[];
}

/**
 * Returns the wish for each runtime: that of the first repository which has one, and there of the file that
 * comes first. Lock files come last.
 */
export function choose(repositories: readonly RepositoryFiles[]): Choice {
  const wishes = new Map<RuntimeName, PlacedWish>();
  const outranked: PlacedWish[] = [];
  const ignored: (IgnoredLine & Place)[] = [];
  for (const { id, files } of repositories) {
    for (const [file, read] of READERS) {
      const found = files.find((one) => one.file === file);
      if (found === undefined || isSecondDevcontainer(file, files)) continue;
      const parsed = parse(found, read);
      ignored.push(...parsed.ignored.map((one) => ({ ...one, id, file })));
      for (const wish of parsed.wishes) {
        if (wishes.has(wish.runtime)) outranked.push({ ...wish, id, file });
        else wishes.set(wish.runtime, { ...wish, id, file });
      }
    }
  }
  for (const { id, files } of repositories) {
    for (const [file, read] of LOCK_READERS) {
      const found = files.find((one) => one.file === file);
      for (const wish of found === undefined ? [] : parse(found, read).wishes)
        if (!wishes.has(wish.runtime)) wishes.set(wish.runtime, { ...wish, id, file });
    }
  }
  return { wishes: [...wishes.values()], outranked, ignored };
}

function isSecondDevcontainer(file: string, files: readonly RepositoryFile[]): boolean {
  return file === DEVCONTAINER_FILES[1] && files.some((one) => one.file === DEVCONTAINER_FILES[0]);
}

function parse({ content }: RepositoryFile, read: (text: string) => ParsedFile): ParsedFile {
  if ("fault" in content) return unreadable(content.fault);
  if (content.text.includes("\0")) return unreadable("it is no text");
  return read(content.text);
}
