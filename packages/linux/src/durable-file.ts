import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";

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

/** Creates the directory, for its user alone, and those above it, unless they exist. */
export function createDirectory(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const above = dirname(first);
  for (let made = resolve(path); made !== above; made = dirname(made)) syncDirectory(dirname(made));
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
