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

// Writes files that only their user can read. Readers see the whole file or none, and it is durable once a
// call returns.

/**
 * Creates the file unless it exists. When several processes create it at once, the content of one of them
 * remains.
 */
export function createFile(path: string, content: string): void {
  withPartial(path, content, (partial) => {
    try {
      linkSync(partial, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  });
}

/** Creates the file, or replaces its content. */
export function replaceFile(path: string, content: string): void {
  withPartial(path, content, (partial) => renameSync(partial, path));
}

/**
 * Creates the directory, accessible to its user alone, and missing parent directories. It creates them one by
 * one: `mkdirSync` with `recursive` never returns below a directory in which nothing can be created, such as
 * /proc.
 * @throws an error of one sentence that names the directory, with the system's `code`.
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

/** Creates one directory. Another process may have created it meanwhile. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncDirectory(dirname(path));
}

/** Makes the creations and removals of names in the directory durable. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/**
 * Writes a temporary file and calls `give` to move or link it. The directory is synced even if another
 * process created the name, since that name may not be durable yet.
 */
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
