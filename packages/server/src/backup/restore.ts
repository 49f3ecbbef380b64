import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createDirectory, removeTree, syncDirectory } from "@berth/linux";
import { type DatabaseAccess, migrate, openDatabase } from "@berth/store/db";
import { restoreCluster, startEmbeddedPostgres } from "@berth/store/embedded-postgres";
import { allContents } from "@berth/store/files";
import { createLog, createRedactor } from "@berth/store/log";
import { blobDirectory } from "@berth/store/names";
import { requireDatabaseKey } from "@berth/store/secrets";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { withSettings } from "../config/with-settings.ts";
import type { InstallationFlags } from "../local/with-database.ts";
import { requireDatabaseProgram } from "../start/database-program.ts";
import { untilAskedToEnd } from "../start/until-asked-to-end.ts";
import { asInputError } from "./as-input-error.ts";
import { requireUnaltered } from "./backup-digest.ts";
import { type BackupNote, readNote } from "./backup-note.ts";
import { addContents, damagedContents, missingContents } from "./contents.ts";
import { noRoomIn, withPartial } from "./partial-directory.ts";
import { requireRegularFiles } from "./regular-files.ts";
import { keysAtHand, keysIn, restoreKeys } from "./restore-keys.ts";
import { countRestored, giveUpMachines, type RestoredCounts } from "./restored-store.ts";

/** Result of restoring or checking a backup. */
export interface RestoredBackup extends RestoredCounts {
  /** ISO 8601. Everything that was acknowledged before is restored. */
  ended_at: string;
  /** SHA-256 of each content that is missing or damaged in the backup. */
  damaged: string[];
  /** Whether the digest was verified with a key. Otherwise only the form of the backup was checked. */
  verified: boolean;
}

interface RestoreOptions {
  /** File with the installation's secret key. Default: `BERTH_SECRET_KEY_FILE`, else the backup's key. */
  keyFile?: string;
}

/**
 * Creates a new data directory from a backup, with the schema of this version. Its sessions continue with new
 * disks and get an event about that. On failure the unfinished data directory is removed.
 * @throws OperatorError
 */
export async function restore(
  flags: InstallationFlags,
  directory: string,
  { keyFile }: RestoreOptions = {},
): Promise<RestoredBackup> {
  return await withSettings(flags, (config) => restoreOf(config, directory, keyFile));
}

async function restoreOf(
  config: Config,
  directory: string,
  keyFile: string | undefined,
): Promise<RestoredBackup> {
  const { from, note } = openBackup(config, directory);
  const { ended_at } = note;
  return await untilAskedToEnd((signal) =>
    withPartial(resolve(config.dataDir), async (dataDir, to) => {
      const partial = { ...config, dataDir };
      await requireRegularFiles(from);
      await restoreKeys(partial, from, keyFile);
      const keys = await keysIn(partial);
      await requireUnaltered(from, note, keys);
      const counts = await withDatabase(partial, from, signal, async (db) => {
        await asInputError(async () => {
          const [active, former = null] = keys;
          await requireDatabaseKey(db.write, { active, former });
        });
        await giveUpMachines(db);
        return await examine(db, from, config, note);
      });
      const contents = contentsOf(partial, note);
      if (contents !== null) await addContents(join(from, "blobs"), contents, signal);
      await rm(to, { recursive: true, force: true });
      await rename(dataDir, to);
      syncDirectory(dirname(to));
      return { ended_at, ...counts, verified: true };
    }),
  );
}

/** Reads the note in a backup. @throws OperatorError when this installation cannot restore that backup. */
function openBackup(config: Config, directory: string): { from: string; note: BackupNote } {
  requireDatabaseProgram(config);
  const [from, note] = [resolve(directory), readNote(directory)];
  contentsOf(config, note);
  return { from, note };
}

/**
 * Restores a backup's database in a temporary directory, reads every content, and removes the directory.
 * Without a key it cannot detect whether somebody has altered the backup.
 * @throws OperatorError
 */
export async function checkBackup(
  flags: InstallationFlags,
  directory: string,
  { keyFile }: RestoreOptions = {},
): Promise<RestoredBackup> {
  return await withSettings(flags, (config) => checkOf(config, directory, keyFile));
}

async function checkOf(
  config: Config,
  directory: string,
  keyFile: string | undefined,
): Promise<RestoredBackup> {
  const { from, note } = openBackup(config, directory);
  const { ended_at } = note;
  return await untilAskedToEnd(async (signal) => {
    await requireRegularFiles(from);
    const keys = await keysAtHand(config, from, keyFile);
    if (keys.length > 0) await requireUnaltered(from, note, keys);
    const dataDir = await mkdtemp(join(tmpdir(), "berth-check-"));
    try {
      const counts = await withDatabase({ ...config, dataDir }, from, signal, (db) =>
        examine(db, from, config, note),
      );
      return { ended_at, ...counts, verified: keys.length > 0 };
    } catch (error) {
      throw noRoomIn(tmpdir(), error);
    } finally {
      await removeTree(dataDir);
    }
  });
}

/**
 * Returns the directory for the contents, or null when they are in a bucket.
 * @throws ConfigError when backup and settings do not match.
 */
function contentsOf(config: Config, { contents_at: bucket }: BackupNote): string | null {
  const directory = blobDirectory(config);
  if (bucket === null && directory === null)
    throw new ConfigError([
      "The backup has the contents of files: restore it with BERTH_BLOBS=disk, and move them with 'berth blobs move'.",
    ]);
  if (bucket !== null && directory !== null)
    throw new ConfigError([
      `The backup has no file contents: they are in ${bucket}, so set BERTH_BLOBS to it.`,
    ]);
  return directory;
}

async function examine(
  db: DatabaseAccess,
  from: string,
  config: Config,
  { contents_at: bucket }: BackupNote,
): Promise<RestoredCounts & { damaged: string[] }> {
  const wanted = await allContents(db.write);
  const damaged =
    bucket === null
      ? await damagedContents(join(from, "blobs"), wanted)
      : await asInputError(() => missingContents(config, db, wanted));
  return { ...(await countRestored(db.write)), damaged };
}

/** Runs the work on a copy of the backup's database, with the schema of this version. */
async function withDatabase<T>(
  config: Config,
  from: string,
  signal: AbortSignal,
  work: (db: DatabaseAccess) => Promise<T>,
): Promise<T> {
  const log = createLog("silent", createRedactor());
  const dataDir = join(config.dataDir, "postgres");
  createDirectory(dataDir);
  const [original, cluster] = [join(from, "cluster"), join(dataDir, "cluster")];
  await restoreCluster(original, cluster, signal);
  const bin = config.pgBin ?? undefined;
  const server = await asInputError(
    () => startEmbeddedPostgres({ dataDir, log, bin, signal }),
    (message) => message.replaceAll(cluster, original),
  );
  try {
    await asInputError(() => migrate({ connection: server.connection }, { signal }));
    const db = openDatabase({ connection: server.connection, log, max: 1, readers: 1 });
    return await work(db).finally(() => db.close());
  } finally {
    await server.stop();
  }
}
