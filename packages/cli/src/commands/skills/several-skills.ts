import type { SkillFile } from "./skill-files.ts";

const MANIFEST = /(?:^|\/)SKILL\.md$/;

/** A skill among others. */
export interface FoundSkill {
  /** Its directory, without a slash at the end; empty for the top. */
  directory: string;
  /** With their paths in it. */
  files: SkillFile[];
}

/** The skills among files: each directory with a `SKILL.md`, without the skills further below. What belongs to none is left out. */
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

/** The nearest of the directories that a file lies in. */
function directoryOf(name: string, directories: ReadonlyMap<string, unknown>): string | null {
  for (let end = name.lastIndexOf("/"); end >= 0; end = name.lastIndexOf("/", end - 1)) {
    const directory = name.slice(0, end + 1);
    if (directories.has(directory)) return directory;
    if (end === 0) break;
  }
  return directories.has("") ? "" : null;
}
