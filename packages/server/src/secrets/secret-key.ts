import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const KEY_BYTES = 32;

/**
 * The installation's secret key: 32 bytes as base64 in the operator's file, or in `secret.key` of the data directory,
 * which is made with a new key (mode 0600) when it is missing. Two processes that start at once agree on one key.
 *
 * @throws when the file cannot be read or does not hold 32 bytes of base64.
 */
export function readSecretKey(options: { file: string | null; dataDir: string }): Buffer {
  if (options.file !== null) return keyOf(readFileSync(options.file, "utf8"), options.file);
  const path = join(options.dataDir, "secret.key");
  try {
    return keyOf(readFileSync(path, "utf8"), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  make(path, options.dataDir);
  return keyOf(readFileSync(path, "utf8"), path);
}

/** Whole or not at all, and never over a key that another process has just made. */
function make(path: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  const partial = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(partial, `${randomBytes(KEY_BYTES).toString("base64")}\n`, {
    mode: 0o600,
    flag: "wx",
    flush: true,
  });
  try {
    chmodSync(partial, 0o600);
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(partial);
  }
}

function keyOf(text: string, path: string): Buffer {
  const key = Buffer.from(text.trim(), "base64");
  if (key.length === KEY_BYTES) return key;
  throw new Error(`${path} must hold 32 bytes as base64, as 'openssl rand -base64 32' prints them.`);
}
