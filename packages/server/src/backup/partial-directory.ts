import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createDirectory, isOfDeadProcess, processName, removeTree } from "@berth/linux";
import { OperatorError } from "../administration/as-operator.ts";

/**
 * Gives the work a directory beside `to`, which the work renames to `to` when it is complete. Otherwise nothing is left of it;
 * what a killed process has left for the same directory is removed first.
 *
 * @throws OperatorError when there is something at `to`, or no room.
 */
export async function withPartial<T>(
  to: string,
  work: (partial: string, to: string) => Promise<T>,
): Promise<T> {
  if (existsSync(to) && readdirSync(to).length > 0)
    throw new OperatorError(`${to} is not empty: name a new directory.`);
  const prefix = `${basename(to)}.partial-`;
  createDirectory(dirname(to));
  for (const name of readdirSync(dirname(to)))
    if (name.startsWith(prefix) && isOfDeadProcess(name.slice(prefix.length)))
      await removeTree(join(dirname(to), name));
  const partial = join(dirname(to), `${prefix}${processName(randomUUID())}`);
  try {
    createDirectory(partial);
    return await work(partial, to);
  } catch (error) {
    throw isNoRoom(error) ? new OperatorError(`There is not enough space in ${dirname(to)}.`) : error;
  } finally {
    await removeTree(partial);
  }
}

function isNoRoom(error: unknown): boolean {
  return error instanceof Error && ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");
}
