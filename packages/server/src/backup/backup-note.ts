import { existsSync } from "node:fs";
import { join } from "node:path";
import { createFile, readRegularFile } from "@berth/linux";
import { InputError } from "@berth/store/errors";

/** The description of a backup. It is written last, so a directory that has one is a complete backup. */
export interface BackupNote {
  format: 1;
  /** Version of Berth that made the backup. */
  berth: string;
  /** ISO 8601. Everything that was acknowledged before is in the backup. */
  ended_at: string;
  /** Major version of PostgreSQL that can read the database files. */
  postgres: number;
  architecture: string;
  /** Number of contents of files. */
  contents: number;
  bytes: number;
  /** Place of the contents that are not in the backup, as in `BERTH_BLOBS`; null when the backup has them. */
  contents_at: string | null;
  /** Digest of the backup under the installation's key; see `backupDigest`. */
  digest?: string;
}

export const NOTE_FILE = "backup.json";

/** Writes the note, which makes the directory a backup. */
export function writeNote(directory: string, note: BackupNote): void {
  createFile(join(directory, NOTE_FILE), `${JSON.stringify(note, null, 2)}\n`);
}

/** Reads the note of a backup. @throws InputError when this version cannot read the backup. */
export function readNote(directory: string): BackupNote {
  const note = parsedNote(directory);
  if (note === null) throw new InputError(`${directory} is not a backup: it has no readable ${NOTE_FILE}.`);
  if (note.format !== 1)
    throw new InputError(`${directory} was written by a newer Berth: restore it with Berth ${note.berth}.`);
  if (note.architecture !== process.arch)
    throw new InputError(
      `${directory} was written on a machine with the architecture ${note.architecture}, but this machine has ${process.arch}.`,
    );
  if (!existsSync(join(directory, "cluster/PG_VERSION")))
    throw new InputError(`${directory} is not a complete backup: it has no database.`);
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
