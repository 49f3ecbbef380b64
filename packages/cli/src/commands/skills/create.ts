import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { APIError, type Berth, type Skill, type SkillUpload } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { objectLines } from "../../terminal/object.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";
import { directoryFiles, type SkillFile, skillFiles } from "./skill-files.ts";

type Options = ConnectionOptions & OutputOptions;
type Visibility = "private" | "organization";
type CreateOptions = Options & { visibility?: Visibility };

export async function createSkill(
  path: string,
  options: CreateOptions & { all?: boolean },
): Promise<number | undefined> {
  if (options.all === true) return await createSkills(path, options);
  const upload = await uploadOf(path);
  const made = await (await connect(options)).skills.create(upload, { visibility: options.visibility });
  await printResult(made, options, () => objectLines({ ...made }));
  printWarnings(made, options);
  return undefined;
}

export async function createSkillVersion(id: string, path: string, options: Options): Promise<undefined> {
  const upload = await uploadOf(path);
  const made = await (await connect(options)).skills.createVersion(id, upload);
  await printResult(made, options, () => objectLines({ ...made }));
  printWarnings(made, options);
}

/** Creates each skill of a directory or archive. Names those that the service rejects, and continues. */
async function createSkills(path: string, options: CreateOptions): Promise<number | undefined> {
  const found = severalSkills(await filesOf(path));
  if (found.length === 0) throw new UsageError(`'${path}' has no SKILL.md.`);
  const client = await connect(options);
  const made: Skill[] = [];
  for (const skill of found) {
    const created = await createOne(client, skill, options.visibility);
    if (created === null) continue;
    made.push(created);
    printWarnings(created, options);
  }
  await printResult({ data: made }, options, () => made.map(({ id, name }) => `${id}  ${name}`));
  return made.length === found.length ? undefined : 1;
}

async function createOne(
  client: Berth,
  { directory, files }: FoundSkill,
  visibility: Visibility | undefined,
): Promise<Skill | null> {
  try {
    return await client.skills.create(files, { visibility });
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    printMessage(`not created: ${plainLine(directory || ".")}: ${plainLine(error.message)}`);
    return null;
  }
}

function printWarnings({ name, warnings }: Pick<Skill, "name" | "warnings">, { quiet }: Options): void {
  for (const warning of warnings) if (!quiet) printMessage(`warning: ${name}: ${plainLine(warning)}`);
}

/** Returns the zip archive, or all files of a directory. */
async function uploadOf(path: string): Promise<SkillUpload> {
  return (await isFile(path))
    ? { name: basename(path), content: await openAsBlob(path) }
    : await skillFiles(path);
}

async function filesOf(path: string) {
  if (!(await isFile(path))) return await directoryFiles(path);
  const { zipFiles } = await import("./zip-files.ts");
  return await zipFiles(path);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true;
}

const MANIFEST = /(?:^|\/)SKILL\.md$/;

/** A skill that was found among files. */
interface FoundSkill {
  /** Its directory, without a trailing slash; empty for the top directory. */
  directory: string;
  /** Its files, with paths relative to the directory. */
  files: SkillFile[];
}

/**
 * Returns the skills among files: each directory with a `SKILL.md`, without skills in its subdirectories.
 * Files of no skill are left out.
 */
function severalSkills(files: readonly SkillFile[]): FoundSkill[] {
  const skills = new Map<string, SkillFile[]>(
    files
      .filter(({ name }) => MANIFEST.test(name))
      .map(({ name }) => [name.slice(0, -"SKILL.md".length), []]),
  );
  for (const file of files) {
    const directory = directoryOf(file.name, skills);
    if (directory !== null) skills.get(directory)?.push({ ...file, name: file.name.slice(directory.length) });
  }
  return [...skills].map(([directory, own]) => ({ directory: directory.replace(/\/$/, ""), files: own }));
}

/** Returns the nearest of the directories that contains a file, or null. */
function directoryOf(name: string, directories: ReadonlyMap<string, unknown>): string | null {
  for (let end = name.lastIndexOf("/"); end >= 0; end = name.lastIndexOf("/", end - 1)) {
    const directory = name.slice(0, end + 1);
    if (directories.has(directory)) return directory;
    if (end === 0) break;
  }
  return directories.has("") ? "" : null;
}
