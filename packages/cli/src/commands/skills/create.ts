import { openAsBlob } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import type { SkillUpload } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { objectLines } from "../../terminal/object.ts";

type Options = ConnectionOptions & OutputOptions;

export async function createSkill(path: string, options: Options): Promise<undefined> {
  const upload = await uploadOf(path);
  const made = await (await connect(options)).skills.create(upload);
  await printResult(made, options, () => objectLines({ ...made }));
}

export async function createSkillVersion(id: string, path: string, options: Options): Promise<undefined> {
  const upload = await uploadOf(path);
  const made = await (await connect(options)).skills.createVersion(id, upload);
  await printResult(made, options, () => objectLines({ ...made }));
}

/** The zip archive, or all files of a directory by their relative paths. Symbolic links are left out. */
async function uploadOf(path: string): Promise<SkillUpload> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`Cannot read '${path}': ${error.code}.`);
  });
  if (found.isFile()) return { name: basename(path), content: await openAsBlob(path) };
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  if (!files.includes(join(path, "SKILL.md"))) throw new UsageError(`'${path}' has no SKILL.md.`);
  return await Promise.all(
    files.map(async (file) => ({
      name: relative(path, file).split(sep).join("/"),
      content: await openAsBlob(file),
    })),
  );
}
