import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileCircles, folderCircles, type Import } from "./import-circles.ts";
import { IMPORT_EXCEPTIONS, IMPORT_TABLE, type ImportException, type ImportTable } from "./import-table.ts";

export type Manifest = { name: string; exports: readonly string[]; dependencies: readonly string[] };

type PackageFile = { name: string } & Partial<
  Record<"exports" | "dependencies" | "devDependencies" | "optionalDependencies", object>
>;

export type Rules = {
  /** The rows by folder. A file belongs to the longest folder that contains it. */
  table: Readonly<Record<string, readonly string[]>>;
  exceptions: readonly ImportException[];
  /** The manifests by package folder. Folders without one use the repository's own, under `.`. */
  manifests: Readonly<Record<string, Manifest>>;
};

if (import.meta.main) {
  const faults = importFaults(join(import.meta.dirname, ".."));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

/** Returns one line for each import that the table, a package's exports or a manifest does not allow. */
export function importFaults(root: string): string[] {
  const rules = {
    table: rowsOf(IMPORT_TABLE),
    exceptions: IMPORT_EXCEPTIONS,
    manifests: readManifests(root),
  };
  const imports = sourceFiles(root).flatMap((file) =>
    importsIn(file, readFileSync(join(root, file), "utf8")),
  );
  return [
    ...imports.flatMap((found) => faultOf(found, rules) ?? []),
    ...fileCircles(imports),
    ...folderCircles(imports.filter(({ file }) => isProduct(file))),
    ...unusedExceptions(imports, rules.exceptions),
    ...unusedPermissions(imports, IMPORT_TABLE),
  ];
}

/** Returns a row for each package and each folder of its floors, with whole paths. */
export function rowsOf(table: ImportTable): Rules["table"] {
  return Object.fromEntries(
    Object.entries(table).flatMap(([home, { imports, tests = [], floors }]) => {
      const folders = floors.map((floor) => floor.split(" ").map((folder) => `${home}/src/${folder}`));
      const rows = folders.flatMap((floor, height) =>
        floor.map((folder) => [folder, [...imports, ...folders.slice(0, height).flat()]] as const),
      );
      return [[home, imports] as const, [`${home}/test-support`, tests] as const, ...rows];
    }),
  );
}

/** Finds import and export-from statements, dynamic imports and module resolutions with a literal name. */
export function importsIn(file: string, source: string): Import[] {
  const statements = source.matchAll(/^\s*(?:import|export)\b[^"'`;]*?\bfrom\s*"([^"$]+)"/gm);
  const bare = source.matchAll(/^\s*import\s*"([^"$]+)"/gm);
  const calls = source.matchAll(/\bimport(?:\.meta\.resolve)?\(\s*"([^"$]+)"/g);
  return [...statements, ...bare, ...calls].map((match) => ({ file, specifier: match[1] ?? "" }));
}

/** Returns one sentence about an import that is not allowed; undefined if it is allowed. */
export function faultOf(found: Import, rules: Rules): string | undefined {
  const { file, specifier } = found;
  if (!hasRow(file, rules.table)) return `${file}: the import table has no floor for its folder.`;
  if (specifier.startsWith("node:") || specifier.endsWith(".json")) return undefined;
  if (rules.exceptions.some((exception) => excuses(exception, found))) return undefined;
  if (specifier.startsWith(".")) return outsideFault(found) ?? supportFault(found) ?? roomFault(found, rules);
  const name = packageName(specifier);
  const manifest = rules.manifests[homeOf(file)] ?? rules.manifests["."];
  if (name === manifest?.name) return undefined;
  if (!name.startsWith("@berth/")) return listFault(found, name, manifest, rules);
  return (
    supportFault(found) ??
    packageFault(found, name, rules) ??
    exportFault(found, name, rules) ??
    listFault(found, name, manifest, rules)
  );
}

/**
 * Whether the table has a row for the file's folder. Folders of a package without floors, such as `tests`,
 * need none.
 */
function hasRow(file: string, table: Rules["table"]): boolean {
  const [room, home] = [roomOf(file, table), homeOf(file)];
  const isOnFloors = Object.keys(table).some((row) => covers(`${home}/src`, row));
  return (
    room !== undefined &&
    (room !== home || !isOnFloors || !isProduct(file) || dirname(file) === `${home}/src`)
  );
}

/**
 * Faults relative imports across packages, which are imported by name. Folders beside the packages may import
 * each other's files.
 */
function outsideFault(found: Import): string | undefined {
  const [home, target] = [homeOf(found.file), homeOf(targetOf(found))];
  if (home === target || !`${home} ${target}`.includes("packages/")) return undefined;
  return `${found.file}: ${found.specifier} leaves ${home}; a package is imported by its name.`;
}

function supportFault(found: Import): string | undefined {
  const isSupport = found.specifier.startsWith(".")
    ? !isProduct(targetOf(found))
    : found.specifier.includes("/test-support/");
  if (!isProduct(found.file) || !isSupport) return undefined;
  return `${found.file}: ${found.specifier} is test support, which product code may not import.`;
}

/**
 * Faults imports between folders of one package that the table does not list. Tests, test support, and files
 * outside folders (`index.ts`) may import any file of their package.
 */
function roomFault(found: Import, { table }: Rules): string | undefined {
  if (!isProduct(found.file)) return undefined;
  const [room, target] = [roomOf(found.file, table), roomOf(targetOf(found), table)];
  if (room === undefined || target === undefined || room === target || room === homeOf(found.file))
    return undefined;
  if (table[room]?.some((allowed) => covers(allowed, targetOf(found)))) return undefined;
  return `${found.file}: ${room} may not import ${target} (${found.specifier}).`;
}

function packageFault({ file }: Import, name: string, { table }: Rules): string | undefined {
  const rooms = isProduct(file)
    ? [roomOf(file, table) ?? ""]
    : Object.keys(table).filter((room) => covers(homeOf(file), room));
  if (rooms.some((room) => table[room]?.includes(name))) return undefined;
  return `${file}: ${rooms[0]} may not import ${name}.`;
}

function exportFault({ file, specifier }: Import, name: string, rules: Rules): string | undefined {
  const owner = Object.values(rules.manifests).find((manifest) => manifest.name === name);
  const path = specifier === name ? "." : `.${specifier.slice(name.length)}`;
  const doors = [path, path.replace(/(?<=^\.\/test-support\/).+$/, "*")];
  return doors.some((door) => owner?.exports.includes(door))
    ? undefined
    : `${file}: ${specifier} is not exported by ${name}.`;
}

/**
 * Faults packages that no manifest lists. The repository's own manifest lists test tools for every package,
 * and folders beside the packages need not list packages of this repository.
 */
function listFault(
  { file }: Import,
  name: string,
  manifest: Manifest | undefined,
  rules: Rules,
): string | undefined {
  const listed =
    manifest?.dependencies.includes(name) || (manifest?.name === "berth" && name.startsWith("@berth/"));
  const testTool = !isProduct(file) && rules.manifests["."]?.dependencies.includes(name);
  return listed || testTool
    ? undefined
    : `${file}: ${name} is not listed in the package.json of ${manifest?.name}.`;
}

/**
 * Whether a file is a package's code, neither a test nor test support. Files beside the packages are tools of
 * this repository.
 */
function isProduct(file: string): boolean {
  return file.startsWith("packages/") && !file.endsWith(".test.ts") && !file.includes("/test-support/");
}

function unusedExceptions(imports: readonly Import[], exceptions: readonly ImportException[]): string[] {
  return exceptions
    .filter((one) => !imports.some((found) => excuses(one, found)))
    .map(
      ({ files, imports: name }) =>
        `script/import-table.ts: the exception of ${files} for ${name} is not used.`,
    );
}

/** Faults entries of the table that no file uses, so that the table shows what is actually imported. */
function unusedPermissions(imports: readonly Import[], table: ImportTable): string[] {
  return Object.entries(table).flatMap(([home, { imports: packages, tests = [], floors }]) => {
    const own = imports.filter(({ file }) => covers(home, file));
    const isUsed = (name: string) => own.some((found) => targetOf(found) === name);
    const folders = floors.flatMap((floor) => floor.split(" "));
    return [
      ...[...packages, ...tests]
        .filter((name) => !isUsed(name))
        .map((name) => `script/import-table.ts: ${home} does not import ${name}.`),
      ...folders
        .filter((folder) => !own.some(({ file }) => covers(`${home}/src/${folder}`, file)))
        .map(
          (folder) => `script/import-table.ts: ${home} has no folder ${folder} whose files import anything.`,
        ),
    ];
  });
}

function excuses({ files, imports }: ImportException, found: Import): boolean {
  return found.file.startsWith(files) && covers(imports, targetOf(found));
}

/** Returns the imported path in the repository, or the package's name. */
function targetOf({ file, specifier }: Import): string {
  return specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : packageName(specifier);
}

function roomOf(file: string, table: Rules["table"]): string | undefined {
  return Object.keys(table)
    .filter((room) => covers(room, file))
    .sort((one, other) => other.length - one.length)[0];
}

/** Returns the package, or the folder beside the packages, that contains a file. */
function homeOf(file: string): string {
  return /^packages\/[^/]+/.exec(file)?.[0] ?? file.split("/")[0] ?? "";
}

/** Whether a folder contains a path, or both name the same file or package. */
function covers(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function packageName(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}

function sourceFiles(root: string): string[] {
  const patterns = ["packages/*/{src,test-support}/**/*.{ts,tsx}", "{tests,bench,script}/**/*.ts"];
  return globSync(patterns, { cwd: root }).sort();
}

function readManifests(root: string): Record<string, Manifest> {
  const files = globSync(["package.json", "packages/*/package.json"], { cwd: root });
  return Object.fromEntries(files.map((file) => [dirname(file), readManifest(join(root, file))]));
}

function readManifest(path: string): Manifest {
  const read = JSON.parse(readFileSync(path, "utf8")) as PackageFile;
  const { name, exports, dependencies, devDependencies, optionalDependencies } = read;
  return {
    name,
    exports: Object.keys(exports ?? {}),
    dependencies: Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  };
}
