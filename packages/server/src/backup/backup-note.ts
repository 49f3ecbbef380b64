import { existsSync } from "node:fs";
import { join } from "node:path";
import { createFile, readRegularFile } from "@berth/linux";
import { InputError } from "@berth/store/errors";

/** What a backup says of itself. It is written last, so a directory that has it is a complete backup. */
export interface BackupNote {
  format: 1;
  /** The version of Berth that made it. */
  berth: string;
  /** ISO 8601. Everything that was acknowledged before is in the backup. */
  ended_at: string;
  /** What can read the files of the database. */
  postgres: number;
  architecture: string;
  /** Contents of files. */
  contents: number;
  bytes: number;
  /** Where the contents are that the backup does not have; null when it has them. Earlier releases wrote none. */
  contents_at?: string | null;
  /** Of the backup, under the installation's key; see `backupDigest`. */
  digest?: string;
}

export const NOTE_FILE = "backup.json";

/** Makes the directory a backup. */
export function writeNote(directory: string, note: BackupNote): void {
  createFile(join(directory, NOTE_FILE), `${JSON.stringify(note, null, 2)}\n`);
}

/** @throws InputError when the directory is no backup that this version can read. */
export function readNote(directory: string): BackupNote {
  const note = parsedNote(directory);
  if (note === null) throw new InputError(`${directory} is no backup: it has no readable ${NOTE_FILE}.`);
  if (note.format !== 1)
    throw new InputError(`${directory} was written by a newer Berth, ${note.berth}: restore it with that.`);
  if (note.architecture !== process.arch)
    throw new InputError(
      `${directory} was written on a machine of the architecture ${note.architecture}, and this one is ${process.arch}.`,
    );
  if (!existsSync(join(directory, "cluster/PG_VERSION")))
    throw new InputError(`${directory} is no complete backup: it has no database.`);
  return note;
}

function parsedNote(directory: string): BackupNote | null {
  try {
    const path = join(directory, NOTE_FILE);
    const note = JSON.parse(readRegularFile(path, { followsLinks: false }));
    return Number.isInteger(note?.format) ? note : null;
  } catch {
    return null;
  }
}
