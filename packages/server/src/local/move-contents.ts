import { mkdirSync } from "node:fs";
import { beginUploadsAnew } from "@berth/api/features";
import { otherHostsSeen } from "@berth/runs/lease";
import { type BlobStore, copyContent, openBlobs } from "@berth/store/blobs";
import { type DatabaseAccess, recordBlobStore } from "@berth/store/db";
import { InputError, OperatorError } from "@berth/store/errors";
import { allContents } from "@berth/store/files";
import type { Config } from "../config/config.ts";
import { blobs as parsePlace } from "../config/parsers.ts";
import { readConfig } from "../config/read-config.ts";
import { installationId } from "../start/installation-id.ts";
import { lockDataDirectory } from "../start/lock-data-directory.ts";
import { appendCommand } from "./append-command.ts";
import { type InstallationFlags, withDatabase } from "./with-database.ts";

/** Result of `moveContents`. */
export interface MovedContents {
  from: string;
  to: string;
  /** Number of contents that were copied by this call; `bytes` is their total size. */
  copied: number;
  bytes: number;
  /** Number of contents that were already at the new place. */
  present: number;
  /** Names of contents that are missing or damaged at the old place. */
  damaged: string[];
}

/** Number of contents that are copied concurrently. */
const AT_ONCE = 4;

/**
 * Copies every content of a file or skill from one place to another, as `BERTH_BLOBS` names them. Verifies
 * each by its hash and skips those already at the new place, so that a call after an interruption resumes.
 * Then makes the new place that of the database; incomplete uploads start again. Deletes nothing at the old
 * place. When contents are damaged, the old place remains the database's.
 * @throws OperatorError while a service of the database runs, or when a place cannot be used. The old place
 * remains the database's.
 */
export async function moveContents(
  flags: InstallationFlags,
  places: { from: string; to: string },
): Promise<MovedContents> {
  const { from, to } = { from: placeOf(places.from, "from"), to: placeOf(places.to, "to") };
  if (from === to) throw new InputError("Both places are the same.");
  const { dataDir } = readConfig(process.env, flags);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const release = lockForMove(dataDir);
  try {
    return await withDatabase(flags, async (db, config) => {
      await requireStopped(db, config);
      const [source, target] = await Promise.all([opened(db, config, from), opened(db, config, to)]);
      try {
        const moved = { from, to, ...(await copyAll(db, source, target)) };
        if (moved.damaged.length > 0) return moved;
        await recordBlobStore(db.write, await target.id(), { replace: true });
        await beginUploadsAnew(db.write);
        await appendCommand(db.write, "blobs move", { organizationId: null, resources: [] });
        return moved;
      } finally {
        for (const store of [source, target]) store.close();
      }
    });
  } finally {
    release();
  }
}

function placeOf(text: string, flag: string): string {
  try {
    return parsePlace(text);
  } catch (error) {
    throw new InputError(`The place of --${flag} ${(error as Error).message}.`);
  }
}

function lockForMove(dataDir: string): () => void {
  try {
    return lockDataDirectory(dataDir);
  } catch (error) {
    throw new OperatorError(`${(error as Error).message} Stop it first.`);
  }
}

async function requireStopped(db: DatabaseAccess, config: Config): Promise<void> {
  const graceMs = config.hostGraceSeconds * 1_000;
  if (await otherHostsSeen(db.write, installationId(config.dataDir), graceMs))
    throw new OperatorError(
      "Another service of this database is running, or was until just now. Stop all of them first.",
    );
}

async function opened(db: DatabaseAccess, config: Config, place: string): Promise<BlobStore> {
  const store = await openBlobs({ ...config, blobs: place }, db);
  try {
    await store.check();
    return store;
  } catch (error) {
    store.close();
    throw new OperatorError((error as Error).message);
  }
}

async function copyAll(
  db: DatabaseAccess,
  source: BlobStore,
  target: BlobStore,
): Promise<Pick<MovedContents, "copied" | "bytes" | "present" | "damaged">> {
  const there = new Set<string>();
  for await (const names of target.names()) for (const name of names) there.add(name);
  const all = await allContents(db.write);
  const left = all.filter((name) => !there.has(name)).reverse();
  const moved = { copied: 0, bytes: 0, present: all.length - left.length, damaged: [] as string[] };
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        const size = await copyContent(source, target, name);
        if (size === null) moved.damaged.push(name);
        else {
          moved.copied += 1;
          moved.bytes += size;
        }
      }
    }),
  );
  return moved;
}
