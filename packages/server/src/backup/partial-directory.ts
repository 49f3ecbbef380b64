import { randomUUID } from "node:crypto";
import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createDirectory, isOfDeadProcess, processName, removeTree } from "@berth/linux";
import { InputError, OperatorError } from "@berth/store/errors";

/**
 * Passes a directory beside `to` to the work, which renames it to `to` when it is complete. On failure the
 * directory is removed. First removes those that killed processes left for the same `to`.
 * @throws InputError when `to` exists and is not empty, or its parent is not writable; OperatorError when the
 * disk is full.
 */
export async function withPartial<T>(
  to: string,
  work: (partial: string, to: string) => Promise<T>,
): Promise<T> {
  requireNew(to);
  const prefix = `${basename(to)}.partial-`;
  makeWritable(dirname(to));
  for (const name of readdirSync(dirname(to)))
    if (name.startsWith(prefix) && isOfDeadProcess(name.slice(prefix.length)))
      await removeTree(join(dirname(to), name));
  const partial = join(dirname(to), `${prefix}${processName(randomUUID())}`);
  try {
    createDirectory(partial);
    return await work(partial, to);
  } catch (error) {
    throw noRoomIn(dirname(to), error);
  } finally {
    await removeTree(partial);
  }
}

/** Returns the error, or an OperatorError about the directory when its disk is full. */
export function noRoomIn(directory: string, error: unknown): unknown {
  return isNoRoom(error) ? new OperatorError(`There is not enough space in ${directory}.`) : error;
}

/** Returns whether an error means that the disk, or the user's quota, is full. */
export function isNoRoom(error: unknown): boolean {
  return error instanceof Error && ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");
}

function requireNew(to: string): void {
  const status = statSync(to, { throwIfNoEntry: false });
  if (status === undefined) return;
  if (!status.isDirectory()) throw new InputError(`${to} is a file: name a new directory.`);
  if (readdirSync(to).length > 0) throw new InputError(`${to} is not empty: name a new directory.`);
}

function makeWritable(directory: string): void {
  try {
    createDirectory(directory);
  } catch (error) {
    throw isNoRoom(error) ? noRoomIn(directory, error) : new InputError((error as Error).message);
  }
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch {
    throw new InputError(`This user may not write in ${directory}.`);
  }
}
