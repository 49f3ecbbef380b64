import type { SkillFile } from "./skill-files.ts";

const MANIFEST = /(?:^|\/)SKILL\.md$/;

/** A skill that was found among files. */
export interface FoundSkill {
  /** Its directory, without a trailing slash; empty for the top directory. */
  directory: string;
  /** Its files, with paths relative to the directory. */
  files: SkillFile[];
}

/**
 * Returns the skills among files: each directory with a `SKILL.md`, without skills in its subdirectories.
 * Files of no skill are left out.
 */
export function severalSkills(files: readonly SkillFile[]): FoundSkill[] {
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
