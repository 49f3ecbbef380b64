import { backup, checkBackup, type Restored, restore } from "@berth/server";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { printJson, printLine } from "../../terminal/print.ts";
import { operatorErrors } from "./operator-errors.ts";

interface InstallationOptions {
  dataDir?: string;
  json?: boolean;
}

export async function makeBackup(
  directory: string,
  { withKey, dataDir, json }: InstallationOptions & { withKey?: boolean },
): Promise<undefined> {
  const options = { withKey: withKey === true };
  const made = await operatorErrors(() => backup({ "data-dir": dataDir }, directory, options));
  if (json) return void printJson(made);
  printLine(
    `${made.directory} has everything until ${made.ended_at}: the database, and ${made.contents} contents of files (${made.bytes} bytes).`,
  );
  if (!options.withKey) printLine("It does not have the secret key: keep that in another place.");
}

/** Exits with 1 when contents are missing or damaged. */
export async function restoreBackup(
  directory: string,
  { secretKeyFile, check, dataDir, json }: InstallationOptions & { secretKeyFile?: string; check?: boolean },
): Promise<number | undefined> {
  const flags = { "data-dir": dataDir };
  const keyFile = secretKeyFile === undefined ? {} : { keyFile: secretKeyFile };
  const restored = await operatorErrors(() =>
    check ? checkBackup(flags, directory) : restore(flags, directory, keyFile),
  );
  if (json) printJson(restored);
  else describe(restored, check === true);
  return restored.damaged.length > 0 ? EXIT_CODES.failed : undefined;
}

function describe({ ended_at, sessions, events, files, damaged }: Restored, isCheck: boolean): void {
  const counts = `${sessions} sessions with ${events} events, and ${files} files`;
  printLine(
    `${isCheck ? "The backup can be restored" : "Restored"}: ${counts}, as they were at ${ended_at}.`,
  );
  for (const sha256 of damaged) printLine(`The content ${sha256} is missing or damaged.`);
}
