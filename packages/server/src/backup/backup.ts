import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { orAborted } from "@berth/concurrency";
import { createFile, syncDirectory } from "@berth/linux";
import { openDatabase } from "@berth/store/db";
import { copyCluster, startEmbeddedPostgres } from "@berth/store/embedded-postgres";
import { InputError } from "@berth/store/errors";
import { keepContents } from "@berth/store/files";
import { createLog, createRedactor } from "@berth/store/log";
import { blobDirectory } from "@berth/store/names";
import { readFormerKey, readSecretKey } from "@berth/store/secrets";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import { withSettings } from "../config/with-settings.ts";
import type { InstallationFlags } from "../local/with-database.ts";
import { requireDatabaseProgram } from "../start/database-program.ts";
import { untilAskedToEnd } from "../start/until-asked-to-end.ts";
import { backupDigest } from "./backup-digest.ts";
import { type BackupNote, writeNote } from "./backup-note.ts";
import { copyContents, countContents } from "./contents.ts";
import { withPartial } from "./partial-directory.ts";

const run = promisify(execFile);

/** A complete backup: its note and its directory. */
export interface Backup extends BackupNote {
  directory: string;
}

/**
 * Copies an installation's database and the contents of its files to a new directory. The service may run
 * meanwhile: everything that it acknowledged before `ended_at` is in the backup. Disks of sessions are not,
 * nor anything that can be recreated. Contents in a bucket are not copied.
 *
 * On failure the unfinished backup is removed.
 * @param withKey Whether the backup also gets the secret key, with which every stored secret can be read.
 * @throws OperatorError
 */
export async function backup(
  flags: InstallationFlags,
  directory: string,
  { withKey = false }: { withKey?: boolean } = {},
): Promise<Backup> {
  return await withSettings(flags, (config) => backupOf(config, directory, withKey));
}

async function backupOf(config: Config, directory: string, withKey: boolean): Promise<Backup> {
  requireDatabaseProgram(config);
  requireInstallation(config);
  requireApart(resolve(directory), config);
  return await untilAskedToEnd((signal) =>
    withPartial(resolve(directory), async (partial, to) => {
      const endedAt = await copyInstallation(config, partial, signal);
      if (withKey) copyKeys(config, partial);
      const contents_at = blobDirectory(config) === null ? config.blobs : null;
      const { contents, bytes } =
        contents_at === null ? await countContents(join(partial, "blobs")) : { contents: 0, bytes: 0 };
      await run("sync", ["-f", partial]);
      const said = noteOf(partial, { ended_at: endedAt.toISOString(), contents, bytes, contents_at });
      const note = { ...said, digest: await backupDigest(partial, said, keyOf(config)) };
      writeNote(partial, note);
      await rename(partial, to);
      syncDirectory(dirname(to));
      return { directory: to, ...note };
    }),
  );
}

/**
 * Copies the database first. Contents stored during the copy are extra files, and none are deleted meanwhile,
 * so the copied database finds all that it refers to.
 */
async function copyInstallation(config: Config, to: string, signal: AbortSignal): Promise<Date> {
  const log = createLog("silent", createRedactor());
  const dataDir = join(config.dataDir, "postgres");
  const bin = config.pgBin ?? undefined;
  const server = await startEmbeddedPostgres({ dataDir, log, bin, signal });
  const db = openDatabase({ connection: server.connection, log, max: 1, readers: 1 });
  const cluster = realpathSync(join(dataDir, "cluster"));
  try {
    const work = db.transaction(async (tx) => {
      await keepContents(tx);
      const { connection } = server;
      const endedAt = await copyCluster(join(to, "cluster"), { cluster, connection, signal });
      const contents = blobDirectory(config);
      if (contents !== null) await copyContents(contents, join(to, "blobs"), signal);
      return endedAt;
    });
    return await orAborted(work, signal);
  } finally {
    await db.close();
    await server.stop();
  }
}

function noteOf(
  directory: string,
  rest: Pick<BackupNote, "ended_at" | "contents" | "bytes" | "contents_at">,
): BackupNote {
  const postgres = Number(readFileSync(join(directory, "cluster/PG_VERSION"), "utf8"));
  return { format: 1, berth: manifest.version, ...rest, postgres, architecture: process.arch };
}

function keyOf({ secretKeyFile: file, dataDir }: Config): Buffer {
  return readSecretKey({ file, dataDir });
}

function copyKeys(config: Config, to: string): void {
  const { secretKeyFile: file, dataDir } = config;
  const [active, former] = [keyOf(config), readFormerKey({ file, dataDir })];
  createFile(join(to, "secret.key"), `${active.toString("base64")}\n`);
  if (former !== null) createFile(join(to, "secret.key.former"), `${former.toString("base64")}\n`);
}

function requireInstallation({ dataDir, databaseUrl }: Config): void {
  if (databaseUrl !== null)
    throw new InputError(
      "This installation uses the database of BERTH_DATABASE_URL. Back it up with the tools of its server first, then copy the file contents from 'blobs' in the data directory or from BERTH_BLOBS.",
    );
  if (!existsSync(join(dataDir, "postgres/cluster")))
    throw new InputError(`There is no installation in ${dataDir}: name its data directory with --data-dir.`);
}

function requireApart(to: string, { dataDir }: Config): void {
  if (`${to}/`.startsWith(`${resolve(dataDir)}/`))
    throw new InputError(
      `${to} is inside the data directory, and would be lost with it: name another place.`,
    );
}
