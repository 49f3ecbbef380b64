import { mkdirSync } from "node:fs";
import type { DatabaseAccess } from "@berth/store/db";
import { OperatorError } from "@berth/store/errors";
import { readHosts } from "@berth/store/leases";
import {
  countKeys,
  deleteFormerKey,
  type KeyChange,
  readFormerKey,
  readKey,
  readSecretKey,
  recordDatabaseKey,
  replaceSecretKey,
  reseal,
  UnopenedSecret,
} from "@berth/store/secrets";
import type { Config } from "../config/config.ts";
import { readConfig } from "../config/read-config.ts";
import { installationId } from "../start/installation-id.ts";
import { lockDataDirectory } from "../start/lock-data-directory.ts";
import { appendCommand } from "./append-command.ts";
import { type InstallationFlags, withDatabase } from "./with-database.ts";

/** Seconds within which a running service has been seen. */
const UNSEEN_SECONDS = 15;

/**
 * Encrypts every secret of the database with another key, and returns how many there were. The key of the
 * data directory is replaced with a new one, and the former key is deleted at the end. When the operator
 * manages the key file, that file already holds the new key, and `formerKeyFile` names a file with the former
 * one. After an interruption the service can still decrypt every secret of a data directory's key, and the
 * next call resumes.
 * @throws OperatorError when a service of the database is running or a key is wrong. Nothing is changed then,
 * or the former key is kept.
 */
export async function rewrapSecrets(
  flags: InstallationFlags,
  formerKeyFile: string | null = null,
): Promise<{ rewrapped: number }> {
  const { dataDir, secretKeyFile: file } = readConfig(process.env, flags);
  if (file === null && formerKeyFile !== null)
    throw new OperatorError("A former key file needs a key file of your own: set BERTH_SECRET_KEY_FILE.");
  if (file !== null && formerKeyFile === null)
    throw new OperatorError(
      `You manage ${file} yourself: put the new key there, and name a file with the former key.`,
    );
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const release = lockForRewrap(dataDir);
  try {
    return await withDatabase(flags, async (db, config) => {
      await requireNoOther(db, config);
      const rewrapped = await (formerKeyFile === null
        ? rewrapOwn(db, dataDir)
        : rewrapTo(db, changeOf(file, formerKeyFile)));
      await appendCommand(db.write, "secrets rewrap", { organizationId: null, resources: [] });
      return rewrapped;
    });
  } finally {
    release();
  }
}

function lockForRewrap(dataDir: string): () => void {
  try {
    return lockDataDirectory(dataDir);
  } catch (error) {
    throw new OperatorError(`${(error as Error).message} Stop it first.`);
  }
}

/**
 * Requires that no other service runs: it would continue with the former key and be unable to read secrets.
 */
async function requireNoOther(db: DatabaseAccess, { dataDir }: Config): Promise<void> {
  const own = installationId(dataDir);
  const other = (await readHosts(db.write)).find(
    ({ id, seen_seconds_ago: age }) => id !== own && age !== null && age < UNSEEN_SECONDS,
  );
  if (other === undefined) return;
  throw new OperatorError(
    `Another service of this database, ${other.id} on ${other.name ?? "an unknown machine"}, was seen less than ${UNSEEN_SECONDS} seconds ago. Stop every service and wait ${UNSEEN_SECONDS} seconds. Nothing was changed.`,
  );
}

/** Replaces the key of the data directory. */
async function rewrapOwn(db: DatabaseAccess, dataDir: string): Promise<{ rewrapped: number }> {
  const keyLocation = { file: null, dataDir };
  const former = readFormerKey(keyLocation);
  await requireKnownKeys(db, [readSecretKey(keyLocation), ...(former === null ? [] : [former])]);
  replaceSecretKey(dataDir);
  const done = await rewrapTo(db, {
    active: readSecretKey(keyLocation),
    former: readFormerKey(keyLocation) ?? readSecretKey(keyLocation),
  });
  deleteFormerKey(dataDir);
  return done;
}

async function rewrapTo(db: DatabaseAccess, change: KeyChange): Promise<{ rewrapped: number }> {
  await requireKnownKeys(db, [change.active, change.former]);
  try {
    const rewrapped = await reseal(db, change);
    await recordDatabaseKey(db.write, change.active, { replace: true });
    return { rewrapped };
  } catch (error) {
    if (error instanceof UnopenedSecret) throw new OperatorError(error.message);
    throw error;
  }
}

async function requireKnownKeys(db: DatabaseAccess, keys: readonly Uint8Array[]): Promise<void> {
  const { unknown: foreign } = await countKeys(db.write, keys);
  if (foreign === 0) return;
  throw new OperatorError(
    `${foreign} ${foreign === 1 ? "secret is" : "secrets are"} encrypted with another key than the given one. Nothing was changed.`,
  );
}

function changeOf(file: string | null, formerFile: string): KeyChange {
  try {
    return { active: readKey(file ?? ""), former: readKey(formerFile) };
  } catch (error) {
    throw new OperatorError((error as Error).message);
  }
}
