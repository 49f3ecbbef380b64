import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { SkillUpload } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { objectLines } from "../../terminal/object.ts";
import { skillFiles } from "./skill-files.ts";

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

/** The zip archive, or all files of a directory. */
async function uploadOf(path: string): Promise<SkillUpload> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true
    ? { name: basename(path), content: await openAsBlob(path) }
    : await skillFiles(path);
}
