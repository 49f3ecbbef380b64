import { constants } from "node:fs";
import { chmod, copyFile, link, open } from "node:fs/promises";

/** Makes a hard link when the file has mode 444 already, else a copy with that mode. */
export async function copyReadOnly(source: string, target: string): Promise<void> {
  const handle = await open(source, constants.O_RDONLY);
  const { mode } = await handle.stat().finally(() => handle.close());
  if ((mode & 0o777) === 0o444) {
    const linked = await link(source, target).then(
      () => true,
      () => false,
    );
    if (linked) return;
  }
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o444);
}
