import { mkdirSync } from "node:fs";
import { readConfig } from "../config/config.ts";
import type { DatabaseAccess } from "../db/database-access.ts";
import { countForeign, type KeyChange, reseal, UnopenedSecret } from "../secrets/reseal.ts";
import {
  forgetFormerKey,
  readFormerKey,
  readKey,
  readSecretKey,
  replaceSecretKey,
} from "../secrets/secret-key.ts";
import { holdDataDir } from "../start/hold-data-dir.ts";
import { asOperator, type InstallationFlags, OperatorError } from "./as-operator.ts";

/**
 * Seals every secret of the database with another key, and answers how many. The data directory's key is replaced by a
 * new one, and the former is deleted at the end; where the operator has an own file, that holds the new key already, and
 * `formerKeyFile` names the file of the one before. Cut off anywhere, the service still opens all secrets of a key of
 * the data directory, and the next call goes on.
 *
 * @throws OperatorError when the service runs, or a key is the wrong one; nothing is changed then, or the former key stays.
 */
export async function rewrapSecrets(
  flags: InstallationFlags,
  formerKeyFile: string | null = null,
): Promise<{ rewrapped: number }> {
  const { dataDir, secretKeyFile: file } = readConfig(process.env, flags);
  if (file === null && formerKeyFile !== null)
    throw new OperatorError("A former key is given for an own key file alone: set BERTH_SECRET_KEY_FILE.");
  if (file !== null && formerKeyFile === null)
    throw new OperatorError(
      `${file} is your own: put the new key there and name a file with the former one.`,
    );
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const letGo = await holdDataDir(dataDir).catch((error: Error) => {
    throw new OperatorError(`${error.message} Stop it first.`);
  });
  try {
    return await asOperator(flags, (db) =>
      formerKeyFile === null ? rewrapOwn(db, dataDir) : rewrapTo(db, changeOf(file, formerKeyFile)),
    );
  } finally {
    letGo();
  }
}

/** With the key of the data directory. */
async function rewrapOwn(db: DatabaseAccess, dataDir: string): Promise<{ rewrapped: number }> {
  const place = { file: null, dataDir };
  const former = readFormerKey(place);
  await refuseForeign(db, [readSecretKey(place), ...(former === null ? [] : [former])]);
  replaceSecretKey(dataDir);
  const done = await rewrapTo(db, {
    active: readSecretKey(place),
    former: readFormerKey(place) ?? readSecretKey(place),
  });
  forgetFormerKey(dataDir);
  return done;
}

async function rewrapTo(db: DatabaseAccess, change: KeyChange): Promise<{ rewrapped: number }> {
  await refuseForeign(db, [change.active, change.former]);
  try {
    return { rewrapped: await reseal(db, change) };
  } catch (error) {
    if (error instanceof UnopenedSecret) throw new OperatorError(error.message);
    throw error;
  }
}

async function refuseForeign(db: DatabaseAccess, keys: readonly Uint8Array[]): Promise<void> {
  const foreign = await countForeign(db.read, keys);
  if (foreign === 0) return;
  throw new OperatorError(
    `${foreign} ${foreign === 1 ? "secret was" : "secrets were"} sealed with another key than the one given. Nothing was changed.`,
  );
}

function changeOf(file: string | null, formerFile: string): KeyChange {
  try {
    return { active: readKey(file ?? ""), former: readKey(formerFile) };
  } catch (error) {
    throw new OperatorError((error as Error).message);
  }
}
