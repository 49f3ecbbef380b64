import { randomBytes } from "node:crypto";
import { existsSync, linkSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  createDirectory,
  createFile,
  readRegularFile,
  replaceFile,
  syncDirectory,
  whoElseChanges,
} from "@berth/linux";

const KEY_BYTES = 32;

/**
 * Reads the installation's secret key: 32 bytes as base64, from the operator's file or from `secret.key` in
 * the data directory. The latter is created with a new key (mode 0600) when it is missing. Two processes that
 * start at once agree on one key.
 * @throws when the file cannot be read or does not contain 32 bytes of base64.
 */
export function readSecretKey(options: { file: string | null; dataDir: string }): Buffer {
  if (options.file !== null) return readKey(options.file);
  const path = join(options.dataDir, "secret.key");
  try {
    return readKey(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  createDirectory(options.dataDir);
  createFile(path, newKey());
  return readKey(path);
}

/**
 * Returns the replaced key while a rewrap is in progress, since some secrets may still be sealed with it.
 * Returns null for an operator's own file, whose former key only the operator has.
 */
export function readFormerKey(options: { file: string | null; dataDir: string }): Buffer | null {
  const path = join(options.dataDir, "secret.key.former");
  return options.file !== null || !existsSync(path) ? null : readKey(path);
}

/**
 * Replaces the data directory's key with a new one, and keeps the old one beside it as the former key. During
 * a rewrap it changes nothing.
 */
export function replaceSecretKey(dataDir: string): void {
  const [path, formerPath] = [join(dataDir, "secret.key"), join(dataDir, "secret.key.former")];
  if (existsSync(formerPath) && !readKey(formerPath).equals(readKey(path))) return;
  if (!existsSync(formerPath)) {
    linkSync(path, formerPath);
    syncDirectory(dataDir);
  }
  replaceFile(path, newKey());
}

/** Deletes the former key. Call it when no secret is sealed with it. */
export function deleteFormerKey(dataDir: string): void {
  rmSync(join(dataDir, "secret.key.former"), { force: true });
  syncDirectory(dataDir);
}

/**
 * Reads a key from a file.
 * @throws when the file cannot be read, others can change it, or it does not contain 32 random bytes as
 * base64.
 */
export function readKey(path: string): Buffer {
  const fault = whoElseChanges(path);
  if (fault !== null) throw new Error(fault);
  return keyOf(readRegularFile(path), path);
}

function newKey(): string {
  return `${randomBytes(KEY_BYTES).toString("base64")}\n`;
}

function keyOf(text: string, path: string): Buffer {
  const key = Buffer.from(text.trim(), "base64");
  if (key.length === KEY_BYTES && key.every((byte) => byte === key[0]))
    throw new Error(
      `${path} must hold a random key, but holds the same byte ${KEY_BYTES} times: make one with 'openssl rand -base64 32'.`,
    );
  if (key.length === KEY_BYTES) return key;
  throw new Error(`${path} must hold 32 bytes as base64, as 'openssl rand -base64 32' prints them.`);
}
