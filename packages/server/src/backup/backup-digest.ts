import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { streamRegularFile } from "@berth/linux";
import { InputError } from "@berth/store/errors";
import { derivedKey } from "@berth/store/secrets";
import { type BackupNote, NOTE_FILE } from "./backup-note.ts";
import { regularFiles } from "./regular-files.ts";

/** Their names are the digests of their bytes, which are compared when the database that names them is there. */
const CONTENT = /^blobs\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}$/;
const KEYS = ["secret.key", "secret.key.former"];

/**
 * A digest of a backup under its installation's key, in hexadecimal: of what it says of itself and of every file but the contents.
 * Nobody who does not have the key can make it for a backup that was altered.
 *
 * @throws InputError when a file is none, see `regularFiles`.
 */
export async function backupDigest(directory: string, note: BackupNote, key: Buffer): Promise<string> {
  return sealed(await summaryOf(directory, note), key);
}

/** @param keys those that it may have been made with. @throws InputError when the backup is not as it was made. */
export async function requireUnaltered(
  directory: string,
  note: BackupNote,
  keys: readonly Buffer[],
): Promise<void> {
  const summary = await summaryOf(directory, note);
  if (keys.some((key) => areEqual(note.digest, sealed(summary, key)))) return;
  throw new InputError(
    `${directory} does not match its digest: it was altered since it was made, or used with another secret key.`,
  );
}

async function summaryOf(directory: string, { digest: _, ...said }: BackupNote): Promise<Buffer> {
  const hash = createHash("sha256");
  hash.update(JSON.stringify(Object.entries(said).sort(([one], [other]) => (one < other ? -1 : 1))));
  for await (const path of regularFiles(directory)) {
    if (path === NOTE_FILE || KEYS.includes(path) || CONTENT.test(path)) continue;
    hash.update(JSON.stringify([path, await sha256Of(join(directory, path))]));
  }
  return hash.digest();
}

function sealed(summary: Buffer, key: Buffer): string {
  return createHmac("sha256", derivedKey(key, "digest of a backup")).update(summary).digest("hex");
}

function areEqual(said: unknown, made: string): boolean {
  if (typeof said !== "string" || said.length !== made.length) return false;
  return timingSafeEqual(Buffer.from(said), Buffer.from(made));
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(streamRegularFile(path), hash);
  return hash.digest("hex");
}
