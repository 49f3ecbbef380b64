import { openAsBlob } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { cannotRead } from "../../shared/cannot-read.ts";
import { UsageError } from "../../shared/failure.ts";

/** A file of a skill, with its path in the skill's directory. */
export interface SkillFile {
  name: string;
  content: Blob;
  executable: boolean;
}

const ANY_EXECUTE = 0o111;

/**
 * Returns all files of a skill's directory, sorted by path. Leaves out symbolic links.
 * @throws UsageError if it is not a directory with a `SKILL.md`.
 */
export async function skillFiles(path: string): Promise<SkillFile[]> {
  const files = await directoryFiles(path);
  if (!files.some(({ name }) => name === "SKILL.md")) throw new UsageError(`'${path}' has no SKILL.md.`);
  return files;
}

/** Returns all files of a directory, like `skillFiles`. @throws UsageError if it is not a directory. */
export async function directoryFiles(path: string): Promise<SkillFile[]> {
  const found = await stat(path).catch((error) => {
    throw new UsageError(cannotRead(path, error));
  });
  if (!found.isDirectory()) throw new UsageError(`'${path}' is not a directory.`);
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return await Promise.all(
    files.toSorted().map(async (file) => ({
      name: relative(path, file).split(sep).join("/"),
      content: await openAsBlob(file),
      executable: ((await stat(file)).mode & ANY_EXECUTE) !== 0,
    })),
  );
}
