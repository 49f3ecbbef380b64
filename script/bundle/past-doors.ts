import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const IMPORT =
  /^(import|export) \{([^}]*)\} from "@berth\/([\w-]+)\/([\w-]+)";$|const \{ ([^{}]*) \} = await import\("@berth\/([\w-]+)\/([\w-]+)"\)/gm;
const EXPORT = /^export (?:type )?\{([^}]*)\} from "(\.[^"]+)";$/gm;

/**
 * Returns a source in which imports of a door name the files behind it. A split bundle loads all modules that
 * a program's imports lead to, used or not, and a door leads to everything that any package uses. Line
 * numbers are kept.
 *
 * Doors with other statements than `export { … } from "./…";` are kept, and so are dynamic imports of names
 * from two files.
 */
export function pastDoors(root: string, text: string): string {
  return text.replaceAll(IMPORT, (statement, ...groups: (string | undefined)[]) => {
    const [keyword, names = "", name = "", door = "", dynamicNames, dynamicName = "", dynamicDoor = ""] =
      groups;
    const isDynamic = dynamicNames !== undefined;
    const behind = isDynamic ? filesBehind(root, dynamicName, dynamicDoor) : filesBehind(root, name, door);
    if (behind === null) return statement;
    const byFile = Map.groupBy(listed(isDynamic ? dynamicNames : names), (entry) =>
      behind.get(nameOf(entry)),
    );
    if (byFile.has(undefined) || (isDynamic && byFile.size > 1)) return statement;
    if (isDynamic)
      return `const { ${dynamicNames} } = await import(${JSON.stringify([...byFile.keys()][0])})`;
    const statements = [...byFile].map(
      ([file, entries]) => `${keyword} { ${entries.join(", ")} } from ${JSON.stringify(file)};`,
    );
    return statements.join(" ") + "\n".repeat(statement.split("\n").length - 1);
  });
}

/** Returns absolute paths by name; null for a file that is not only a door. */
function filesBehind(root: string, name: string, door: string): Map<string, string> | null {
  const home = join(root, "packages", name);
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    exports: Record<string, string>;
  };
  const path = join(home, exports[`./${door}`] ?? "");
  const text = readFileSync(path, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
  if (text.replaceAll(EXPORT, "").trim() !== "") return null;
  const entries = [...text.matchAll(EXPORT)].flatMap(([, names = "", file = ""]) =>
    listed(names).map((entry) => [nameOf(entry), join(dirname(path), file)] as const),
  );
  return new Map(entries);
}

function listed(names: string): string[] {
  return names
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Returns the name in `type Name`, `name as other` or `name: other`. */
function nameOf(entry: string): string {
  return /^(?:type )?([\w$]+)/.exec(entry)?.[1] ?? entry;
}
