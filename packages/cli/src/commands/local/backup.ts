import { type Backup, backup, checkBackup, type RestoredBackup, restore } from "@berth/server";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { operatorErrors } from "./operator-errors.ts";

interface InstallationOptions extends OutputOptions {
  dataDir?: string;
}

/** Copies the installation to a new directory, and prints what the copy contains. */
export async function makeBackup(
  directory: string,
  { withKey, dataDir, ...output }: InstallationOptions & { withKey?: boolean },
): Promise<undefined> {
  const options = { withKey: withKey === true };
  const made = await operatorErrors(() => backup({ "data-dir": dataDir }, directory, options));
  await printResult(made, output, () => [
    `${made.directory} has ${describeBackup(made)}`,
    ...(options.withKey ? [] : ["It does not contain the secret key: keep the key in another place."]),
  ]);
}

function describeBackup({ ended_at, contents, bytes, contents_at: bucket }: Backup): string {
  return bucket
    ? `the database until ${ended_at}, but no file contents: they are only in ${bucket}. Keep the bucket, with its versions, as long as the backup.`
    : `everything until ${ended_at}: the database, and ${contents} file contents (${bytes} bytes).`;
}

interface RestoreOptions extends InstallationOptions {
  secretKeyFile?: string;
  check?: boolean;
}

/** Restores or checks a backup. Returns exit code 1 when contents are missing or damaged. */
export async function restoreBackup(
  directory: string,
  { secretKeyFile, check, dataDir, ...output }: RestoreOptions,
): Promise<number | undefined> {
  const flags = { "data-dir": dataDir };
  const keyFile = secretKeyFile === undefined ? {} : { keyFile: secretKeyFile };
  const restored = await operatorErrors(() =>
    check ? checkBackup(flags, directory, keyFile) : restore(flags, directory, keyFile),
  );
  await printResult(restored, output, () => describe(restored, check === true));
  return restored.damaged.length > 0 ? EXIT_CODES.failed : undefined;
}

const UNVERIFIED =
  "Without the secret key, changes by somebody else cannot be detected: name the key's file with --secret-key-file.";

function describe(
  { ended_at, sessions, events, files, damaged, verified }: RestoredBackup,
  isCheck: boolean,
): string[] {
  const counts = `${sessions} sessions with ${events} events, and ${files} files`;
  return [
    `${isCheck ? "The backup can be restored" : "Restored"}: ${counts}, as they were at ${ended_at}.`,
    ...(verified ? [] : [UNVERIFIED]),
    ...damaged.map((sha256) => `The content ${sha256} is missing or damaged.`),
  ];
}
