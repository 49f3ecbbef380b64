import { constants } from "node:fs";
import { chmod, copyFile, type FileHandle, link } from "node:fs/promises";
import { openRegularFile } from "@berth/linux";

/**
 * Makes a hard link when the file has mode 444 already, otherwise a copy with that mode.
 *
 * @throws as `openRegularFile` does.
 */
export async function copyReadOnly(source: string, target: string): Promise<void> {
  const file = await openRegularFile(source);
  try {
    if (await isLinked(file, source, target)) return;
    // Copies the opened file, even if the path has changed since.
    await copyFile(`/proc/self/fd/${file.fd}`, target, constants.COPYFILE_FICLONE);
    await chmod(target, 0o444);
  } finally {
    await file.close();
  }
}

async function isLinked(file: FileHandle, source: string, target: string): Promise<boolean> {
  const { mode } = await file.stat();
  if ((mode & 0o777) !== 0o444) return false;
  return await link(source, target).then(
    () => true,
    () => false,
  );
}
