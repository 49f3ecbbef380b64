import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { getSystemErrorMessage } from "node:util";

// Files that only their user can read. Readers see them whole or not at all, and they are durable once a call returns.

/** Creates the file, unless it exists: processes that start at once agree on the content of one of them. */
export function createFile(path: string, content: string): void {
  withPartial(path, content, (partial) => {
    try {
      linkSync(partial, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  });
}

/** Creates the file, or gives it another content. */
export function replaceFile(path: string, content: string): void {
  withPartial(path, content, (partial) => renameSync(partial, path));
}

/**
 * Creates the directory, for its user alone, and those above it, unless they exist. One after the other: `mkdirSync` with `recursive`
 * never returns below a directory in which nothing can be created, such as /proc.
 *
 * @throws one sentence that names the directory, with the system's `code`.
 */
export function createDirectory(path: string): void {
  const missing: string[] = [];
  let above = resolve(path);
  for (; !existsSync(above); above = dirname(above)) missing.unshift(above);
  if (!statSync(above).isDirectory()) throw new Error(`${above} is not a directory.`);
  try {
    for (const one of missing) makeDirectory(one);
  } catch (error) {
    const { errno = 0, code } = error as NodeJS.ErrnoException;
    const sentence = `The directory ${path} cannot be created: ${getSystemErrorMessage(errno)}.`;
    throw Object.assign(new Error(sentence, { cause: error }), { code });
  }
}

/** Another process may have made it meanwhile. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncDirectory(dirname(path));
}

/** Makes names that were given or removed in the directory durable. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** A name that another process found, and that this one does not give, may not be durable yet: the directory is synced for both. */
function withPartial(path: string, content: string, give: (partial: string) => void): void {
  const partial = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(partial, content, { mode: 0o600, flag: "wx", flush: true });
    give(partial);
  } finally {
    rmSync(partial, { force: true });
  }
  syncDirectory(dirname(path));
}
