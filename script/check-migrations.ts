import { readdirSync } from "node:fs";
import { join } from "node:path";

const MIGRATIONS = "packages/server/src/db/migrations";

/** One line for each migration of the server that does not have the next number: two have the same one, or one is left out. */
export function migrationFaults(root: string): string[] {
  return numberFaults(readdirSync(join(root, MIGRATIONS))).map((fault) => `${MIGRATIONS}/${fault}`);
}

export function numberFaults(files: readonly string[]): string[] {
  return files.toSorted().flatMap((file, index) => {
    const number = `${index + 1}`.padStart(4, "0");
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(file)) return [`${file}: migrations are named NNNN-name.sql.`];
    return file.startsWith(`${number}-`) ? [] : [`${file}: the number should be ${number}.`];
  });
}
