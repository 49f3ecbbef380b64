import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const KEY_BYTES = 32;

/**
 * The installation's secret key: 32 bytes as base64 in the operator's file, or in `secret.key` of the data directory,
 * which is made with a new key (mode 0600) when it is missing. Two processes that start at once agree on one key.
 *
 * @throws when the file cannot be read or does not hold 32 bytes of base64.
 */
export function readSecretKey(options: { file: string | null; dataDir: string }): Buffer {
  if (options.file !== null) return readKey(options.file);
  const path = join(options.dataDir, "secret.key");
  try {
    return readKey(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  make(path, options.dataDir);
  return readKey(path);
}

/**
 * The key that was replaced, while there may be secrets that are sealed with it: from the beginning of a rewrap to its end.
 * Null for an operator's own file, whose former one only the operator has.
 */
export function readFormerKey(options: { file: string | null; dataDir: string }): Buffer | null {
  const path = join(options.dataDir, "secret.key.former");
  return options.file !== null || !existsSync(path) ? null : readKey(path);
}

/**
 * Puts a new key in place of the data directory's, which stays beside it as the former one. Called again after it was cut off, it
 * leaves the keys as they are.
 */
export function replaceSecretKey(dataDir: string): void {
  const [path, formerPath] = [join(dataDir, "secret.key"), join(dataDir, "secret.key.former")];
  if (existsSync(formerPath) && !readKey(formerPath).equals(readKey(path))) return;
  if (!existsSync(formerPath)) linkSync(path, formerPath);
  const partial = writeNew(path);
  renameSync(partial, path);
  flushDirectory(dataDir);
}

/** Nothing is sealed with the former key any more. */
export function forgetFormerKey(dataDir: string): void {
  rmSync(join(dataDir, "secret.key.former"), { force: true });
  flushDirectory(dataDir);
}

/** @throws when the file cannot be read or does not hold 32 bytes of base64. */
export function readKey(path: string): Buffer {
  return keyOf(readFileSync(path, "utf8"), path);
}

function flushDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Whole or not at all, and never over a key that another process has just made. */
function make(path: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  const partial = writeNew(path);
  try {
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(partial);
  }
}

/** A new key in a file beside `path`, whose name is answered. */
function writeNew(path: string): string {
  const partial = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(partial, `${randomBytes(KEY_BYTES).toString("base64")}\n`, {
    mode: 0o600,
    flag: "wx",
    flush: true,
  });
  chmodSync(partial, 0o600);
  return partial;
}

function keyOf(text: string, path: string): Buffer {
  const key = Buffer.from(text.trim(), "base64");
  if (key.length === KEY_BYTES) return key;
  throw new Error(`${path} must hold 32 bytes as base64, as 'openssl rand -base64 32' prints them.`);
}
