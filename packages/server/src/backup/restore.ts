import { existsSync, statSync } from "node:fs";
import { copyFile, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { copyTree, createDirectory, createFile, removeTree, syncDirectory } from "@berth/linux";
import { blobDirectory, type Config } from "../config/config.ts";
import { readConfig } from "../config/read-config.ts";
import type { DatabaseAccess } from "../db/database-access.ts";
import { startEmbeddedPostgres } from "../db/embedded/start-embedded-postgres.ts";
import { migrate } from "../db/migrate.ts";
import { openDatabase } from "../db/pool.ts";
import { InputError } from "../errors/operator-error.ts";
import { allContents } from "../features/files/content-store.ts";
import { createLog } from "../log/log.ts";
import { createRedactor } from "../log/redactor.ts";
import type { InstallationFlags } from "../machine/as-operator.ts";
import { requireDatabaseKey } from "../secrets/database-key-store.ts";
import { readFormerKey, readKey, readSecretKey } from "../secrets/secret-key.ts";
import { untilAskedToEnd } from "../start/until-asked-to-end.ts";
import { type BackupNote, readNote } from "./backup-note.ts";
import { addContents, damagedContents, missingContents } from "./contents.ts";
import { isNoRoom, noRoomIn, withPartial } from "./partial-directory.ts";
import { countRestored, giveUpMachines, type RestoredCounts } from "./restored-store.ts";

export interface Restored extends RestoredCounts {
  /** Everything that was acknowledged before is there. */
  ended_at: string;
  /** sha256 of each content that is missing or damaged in the backup. */
  damaged: string[];
}

interface RestoreOptions {
  /** A file with the installation's secret key. Default: that of the backup, or else `BERTH_SECRET_KEY_FILE`. */
  keyFile?: string;
}

/**
 * Makes a new data directory from a backup, with the schema of this version. Its sessions continue with new disks, and are told so.
 *
 * @throws OperatorError. Nothing is left of an unfinished data directory.
 */
export async function restore(
  flags: InstallationFlags,
  directory: string,
  { keyFile }: RestoreOptions = {},
): Promise<Restored> {
  const config = readConfig(process.env, flags);
  const [from, note] = [resolve(directory), readNote(directory)];
  const { ended_at } = note;
  contentsOf(config, note);
  return await untilAskedToEnd((signal) =>
    withPartial(resolve(config.dataDir), async (dataDir, to) => {
      const partial = { ...config, dataDir };
      await restoreKeys(partial, from, keyFile);
      const counts = await withDatabase(partial, from, signal, async (db) => {
        await asInputError(async () => {
          const key = { file: partial.secretKeyFile, dataDir };
          await requireDatabaseKey(db.write, { active: readSecretKey(key), former: readFormerKey(key) });
        });
        await giveUpMachines(db);
        return await examine(db, from, config, note);
      });
      const contents = contentsOf(partial, note);
      if (contents !== null) await addContents(join(from, "blobs"), contents);
      await rm(to, { recursive: true, force: true });
      await rename(dataDir, to);
      syncDirectory(dirname(to));
      return { ended_at, ...counts };
    }),
  );
}

/** Restores a backup's database in a temporary directory, reads every content, and removes what it made. */
export async function checkBackup(flags: InstallationFlags, directory: string): Promise<Restored> {
  const config = readConfig(process.env, flags);
  const [from, note] = [resolve(directory), readNote(directory)];
  const { ended_at } = note;
  contentsOf(config, note);
  return await untilAskedToEnd(async (signal) => {
    const dataDir = await mkdtemp(join(tmpdir(), "berth-check-"));
    try {
      const counts = await withDatabase({ ...config, dataDir }, from, signal, (db) =>
        examine(db, from, config, note),
      );
      return { ended_at, ...counts };
    } catch (error) {
      throw noRoomIn(tmpdir(), error);
    } finally {
      await removeTree(dataDir);
    }
  });
}

/** The directory to which the contents go; null when they are in a bucket. @throws InputError when backup and settings do not fit. */
function contentsOf(config: Config, { contents_at: bucket = null }: BackupNote): string | null {
  const directory = blobDirectory(config);
  if (bucket === null && directory === null)
    throw new InputError(
      "The backup has the contents of files: restore it with BERTH_BLOBS=disk, and move them with 'berth admin blobs move'.",
    );
  if (bucket !== null && directory !== null)
    throw new InputError(
      `The backup has no contents of files, which are in ${bucket}: set BERTH_BLOBS to that.`,
    );
  return directory;
}

async function examine(
  db: DatabaseAccess,
  from: string,
  config: Config,
  { contents_at: bucket = null }: BackupNote,
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
  await copyTree(original, cluster, { signal });
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

async function restoreKeys(
  { dataDir, secretKeyFile }: Config,
  from: string,
  keyFile?: string,
): Promise<void> {
  if (keyFile !== undefined) {
    createFile(join(dataDir, "secret.key"), `${givenKey(keyFile).toString("base64")}\n`);
    return;
  }
  for (const name of ["secret.key", "secret.key.former"])
    if (existsSync(join(from, name))) await copyFile(join(from, name), join(dataDir, name));
  if (secretKeyFile === null && !existsSync(join(dataDir, "secret.key")))
    throw new InputError(
      "The backup has no secret key: name the file with the installation's by --secret-key-file, or set BERTH_SECRET_KEY_FILE.",
    );
}

function givenKey(file: string): Buffer {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new InputError(`There is no file ${file}.`);
  try {
    return readKey(file);
  } catch (error) {
    throw new InputError((error as Error).message);
  }
}

/** What fails in the work is a fault of what the command was given. @param worded makes it one sentence about that. */
async function asInputError<T>(work: () => Promise<T>, worded = (message: string) => message): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isNoRoom(error) ? error : new InputError(worded((error as Error).message));
  }
}
