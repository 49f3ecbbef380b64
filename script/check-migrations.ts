import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const MIGRATIONS = "packages/store/src/db/migrations";

/**
 * The number of the first migration that follows a release. The one before makes the schema of release
 * 0.1.0.
 */
const FIRST_OF_RELEASES = 2;

/**
 * Patterns that remove something that statements of earlier releases name, or add a column that they do not
 * set.
 */
const TAKES = [
  /\bdrop\s+(table|column|function|view|default)\b/i,
  /\brename\b/i,
  /\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/i,
  /\bset\s+not\s+null\b/i,
  /\badd\s+(column\s+)?\w+\s(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/i,
];

/**
 * Returns one line for each fault of a migration: its number is repeated or follows a gap, it removes something
 * that earlier releases use, or it is in the newest release and was edited since.
 */
export function migrationFaults(root: string): string[] {
  const directory = join(root, MIGRATIONS);
  const files = readdirSync(directory).toSorted();
  const faults = [
    ...numberFaults(files),
    ...files
      .slice(FIRST_OF_RELEASES - 1)
      .flatMap((file) => takingFaults(file, readFileSync(join(directory, file), "utf8"))),
  ];
  return [...faults.map((fault) => `${MIGRATIONS}/${fault}`), ...editFaults(root)];
}

/**
 * Returns one line for each migration of the newest release, by its tag, that was edited since. Returns nothing
 * before the first release, and in a clone without tags.
 */
export function editFaults(root: string): string[] {
  const tags = spawnSync("git", ["tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname"], {
    cwd: root,
    encoding: "utf8",
  });
  const [tag = ""] = tags.status === 0 ? tags.stdout.split("\n") : [];
  if (tag === "") return [];
  const compare = ["diff", "--name-only", "--no-renames", "--diff-filter=a", tag, "--", MIGRATIONS];
  return execFileSync("git", compare, { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter(Boolean)
    .map((file) => `${file}: the release ${tag} has it otherwise. A change is a new migration.`);
}

/**
 * Faults a migration that removes what earlier releases use, unless its first line is `-- requires: NNNN`. A
 * Berth that does not know migration NNNN then refuses the database.
 */
export function takingFaults(file: string, sql: string): string[] {
  if (/^-- requires: \d{4}\n/.test(sql)) return [];
  const statements = sql.replaceAll(/--.*/g, "");
  const taken = TAKES.map((pattern) => pattern.exec(statements)?.[0]).find((text) => text !== undefined);
  if (taken === undefined) return [];
  return [`${file}: "${taken}" takes from releases before what they use. Begin it with "-- requires: NNNN".`];
}

/** Faults names that are not `NNNN-name.sql`, and numbers that are not consecutive from 0001. */
export function numberFaults(files: readonly string[]): string[] {
  return files.toSorted().flatMap((file, index) => {
    const number = `${index + 1}`.padStart(4, "0");
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(file)) return [`${file}: migrations are named NNNN-name.sql.`];
    return file.startsWith(`${number}-`) ? [] : [`${file}: the number should be ${number}.`];
  });
}
