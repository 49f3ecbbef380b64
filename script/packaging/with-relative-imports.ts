import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path/posix";

/**
 * An import or export between packages on its own line, as the compiler writes it. Imports in the text of an
 * example do not match.
 */
const PACKAGE_IMPORT =
  /^((?:import|export|\}) [^"\n]*(?<=from )")@berth\/([\w-]+)(\/[\w-]+)?";$|\bimport\("@berth\/([\w-]+)(\/[\w-]+)?"\)/gm;

/**
 * Makes compiled JavaScript import files of other packages by relative paths. `path` is the file's path in
 * the repository.
 */
export function withRelativeImports(root: string, path: string, text: string): string {
  const specifier = (name: string, door: string): string => {
    const file = relative(dirname(path), doorOf(root, name, door));
    return file.startsWith(".") ? file : `./${file}`;
  };
  return text.replaceAll(
    PACKAGE_IMPORT,
    (_, start: string | undefined, name = "", door = "", dynamic = "", dynamicDoor = "") =>
      start === undefined
        ? `import("${specifier(dynamic, dynamicDoor)}")`
        : `${start}${specifier(name, door)}";`,
  );
}

/** Returns the compiled file that a package exports under the name. */
function doorOf(root: string, name: string, door: string): string {
  const manifest = readFileSync(join(root, "packages", name, "package.json"), "utf8");
  const { exports } = JSON.parse(manifest) as { exports: Record<string, string> };
  const file = exports[`.${door}`];
  if (file === undefined) throw new Error(`@berth/${name} has no export .${door}.`);
  return join("packages", name, file.replace(/\.ts$/, ".js"));
}
