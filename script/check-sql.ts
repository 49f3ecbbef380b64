import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The paths that may contain SQL: the database folder, the two folders of leases, and files named after their
 * statements. The folders of leases contain the statements on lease rows, and those that check a lease's
 * epoch.
 */
const ALLOWED = /^packages\/(store\/src\/(db|leases)\/|runs\/src\/lease\/|.*-(store|statements)\.ts$)/;

const QUERY = /\.query\s*(<[^;]*?>)?\s*\(\s*\{/;
const STATEMENT =
  /\b(select [\s\S]{1,200}? from|insert into \w+|update \w+ set|delete from \w+|with \w+ as \()\s/;

/** Returns one line for each file that contains SQL and may not. */
export function sqlFaults(root: string): string[] {
  return globSync("packages/{store,runs,api,server}/src/**/*.ts", { cwd: root })
    .filter(
      (file) =>
        !file.endsWith(".test.ts") && !ALLOWED.test(file) && holdsSql(readFileSync(join(root, file), "utf8")),
    )
    .sort()
    .map(
      (file) =>
        `${file}: SQL lies in store/db/, store/leases/, runs/lease/ and files named *-store.ts or *-statements.ts.`,
    );
}

/** Whether code contains a query or a statement, outside of comments. */
export function holdsSql(source: string): boolean {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
  return QUERY.test(code) || STATEMENT.test(code);
}
