import { randomUUID } from "node:crypto";
import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createDirectory, isOfDeadProcess, processName, removeTree } from "@berth/linux";
import { InputError, OperatorError } from "@berth/store/errors";

/**
 * Gives the work a directory beside `to`, which the work renames to `to` when it is complete. Otherwise nothing is left of it;
 * what a killed process has left for the same directory is removed first.
 *
 * @throws InputError when there is something at `to`, or nothing can be written there; OperatorError when there is no room.
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

/** The error, or a sentence about the directory when that is full. */
export function noRoomIn(directory: string, error: unknown): unknown {
  return isNoRoom(error) ? new OperatorError(`There is not enough space in ${directory}.`) : error;
}

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
