import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { streamRegularFile } from "@berth/linux";
import { InputError } from "@berth/store/errors";
import { derivedKey } from "@berth/store/secrets";
import { type BackupNote, NOTE_FILE } from "./backup-note.ts";
import { regularFiles } from "./regular-files.ts";

/** Contents, named by their digests. They are verified later, by the names in the restored database. */
const CONTENT = /^blobs\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}$/;
const KEYS = ["secret.key", "secret.key.former"];

/**
 * Returns a digest of a backup under its installation's key, in hexadecimal. It covers the note and every
 * file but the contents. Nobody without the key can compute it for an altered backup.
 * @throws InputError when an entry is not a regular file, see `regularFiles`.
 */
export async function backupDigest(directory: string, note: BackupNote, key: Buffer): Promise<string> {
  return sealed(await summaryOf(directory, note), key);
}

/**
 * Requires that a backup matches its digest.
 * @param keys Keys that it may have been made with.
 * @throws InputError when the backup was altered, or none of the keys is the right one.
 */
export async function requireUnaltered(
  directory: string,
  note: BackupNote,
  keys: readonly Buffer[],
): Promise<void> {
  const summary = await summaryOf(directory, note);
  if (keys.some((key) => areEqual(note.digest, sealed(summary, key)))) return;
  throw new InputError(
    `${directory} does not match its digest: it was altered after it was made, or belongs to another secret key.`,
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
