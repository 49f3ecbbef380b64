import { existsSync, statSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { createFile } from "@berth/linux";
import { InputError } from "@berth/store/errors";
import { readFormerKey, readKey, readSecretKey } from "@berth/store/secrets";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { asInputError } from "./as-input-error.ts";

/**
 * Writes the given key, or the backup's, into a new data directory.
 * @throws InputError when there is neither, and no `BERTH_SECRET_KEY_FILE`, or when that file has another key
 * than the given one.
 */
export async function restoreKeys(config: Config, from: string, keyFile?: string): Promise<void> {
  const { dataDir, secretKeyFile } = config;
  if (keyFile !== undefined) {
    createFile(join(dataDir, "secret.key"), `${givenKey(config, keyFile).toString("base64")}\n`);
    return;
  }
  for (const name of ["secret.key", "secret.key.former"])
    if (existsSync(join(from, name))) await copyFile(join(from, name), join(dataDir, name));
  if (secretKeyFile === null && !existsSync(join(dataDir, "secret.key")))
    throw new InputError(
      "The backup has no secret key: name the file with the installation's key with --secret-key-file, or set BERTH_SECRET_KEY_FILE.",
    );
}

/** Returns the key in the file of `--secret-key-file`. The service will use that of `BERTH_SECRET_KEY_FILE`. */
function givenKey({ secretKeyFile }: Config, file: string): Buffer {
  const key = keyOf(file);
  if (secretKeyFile !== null && !key.equals(settingsKey(secretKeyFile)))
    throw new InputError(
      "--secret-key-file and BERTH_SECRET_KEY_FILE name different keys: give one of them.",
    );
  return key;
}

function keyOf(file: string): Buffer {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new InputError(`There is no file ${file}.`);
  try {
    return readKey(file);
  } catch (error) {
    throw new InputError((error as Error).message);
  }
}

/**
 * Returns the keys of a data directory, the active one first.
 * @throws InputError when they cannot be read, or ConfigError for the file that a setting names.
 */
export async function keysIn({ secretKeyFile, dataDir }: Config): Promise<[Buffer, ...Buffer[]]> {
  if (secretKeyFile !== null) return [settingsKey(secretKeyFile)];
  return await asInputError(async () => {
    const own = { file: null, dataDir };
    const [active, former] = [readSecretKey(own), readFormerKey(own)];
    return former === null ? [active] : [active, former];
  });
}

function settingsKey(file: string): Buffer {
  try {
    return readKey(file);
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
}

/**
 * Returns the keys with which a backup can be verified: the given one, else that of `BERTH_SECRET_KEY_FILE`,
 * else those in the backup, which somebody who altered it also has. Empty when there are none.
 */
export async function keysAtHand(config: Config, from: string, keyFile?: string): Promise<Buffer[]> {
  const { secretKeyFile } = config;
  if (keyFile !== undefined) return [givenKey(config, keyFile)];
  if (secretKeyFile !== null) return [settingsKey(secretKeyFile)];
  const names = ["secret.key", "secret.key.former"].map((name) => join(from, name));
  return await asInputError(async () => names.filter((name) => existsSync(name)).map(readKey));
}
