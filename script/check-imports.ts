import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { IMPORT_EXCEPTIONS, IMPORT_TABLE, type ImportException } from "./import-table.ts";

/** What one import statement asks for: `file` is relative to the repository, `specifier` as written. */
export type Import = { file: string; specifier: string };

export type Manifest = { name: string; exports: readonly string[]; dependencies: readonly string[] };

type PackageFile = { name: string } & Partial<
  Record<"exports" | "dependencies" | "devDependencies" | "optionalDependencies", object>
>;

export type Rules = {
  table: Readonly<Record<string, readonly string[]>>;
  exceptions: readonly ImportException[];
  /** By room: `packages/server`, `tests`; rooms without a manifest use the repository's own, under `.`. */
  manifests: Readonly<Record<string, Manifest>>;
};

if (import.meta.main) {
  const faults = importFaults(join(import.meta.dirname, ".."));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

/** Every import in the repository that the table, a package's exports or a manifest does not allow, one line each. */
export function importFaults(root: string): string[] {
  const rules = { table: IMPORT_TABLE, exceptions: IMPORT_EXCEPTIONS, manifests: readManifests(root) };
  const imports = sourceFiles(root).flatMap((file) =>
    importsIn(file, readFileSync(join(root, file), "utf8")),
  );
  return [
    ...imports.flatMap((found) => faultOf(found, rules) ?? []),
    ...idleExceptions(imports, rules.exceptions),
  ];
}

/** Import and export-from statements, dynamic imports and module resolutions with a literal name. */
export function importsIn(file: string, source: string): Import[] {
  const statements = source.matchAll(/^\s*(?:import|export)\b[^"'`;]*?\bfrom\s*"([^"$]+)"/gm);
  const bare = source.matchAll(/^\s*import\s*"([^"$]+)"/gm);
  const calls = source.matchAll(/\bimport(?:\.meta\.resolve)?\(\s*"([^"$]+)"/g);
  return [...statements, ...bare, ...calls].map((match) => ({ file, specifier: match[1] ?? "" }));
}

/** One sentence about an import that is not allowed, or undefined. */
export function faultOf(found: Import, rules: Rules): string | undefined {
  const { file, specifier } = found;
  const room = roomOf(file, rules.table);
  if (room === undefined) return `${file}: no room of the import table holds this file.`;
  if (specifier.startsWith("node:")) return undefined;
  if (specifier.startsWith(".")) return outsideFault(found, room, rules);
  const name = packageName(specifier);
  const manifest = rules.manifests[room] ?? rules.manifests["."];
  if (name.startsWith("@berth/") && name !== manifest?.name) {
    return (
      tableFault(found, name, room, rules) ??
      exportFault(found, name, rules) ??
      listFault(found, name, manifest, rules)
    );
  }
  return name === manifest?.name ? undefined : listFault(found, name, manifest, rules);
}

/** A package is entered by its name; the rooms beside the packages may share files among each other. */
function outsideFault(found: Import, room: string, rules: Rules): string | undefined {
  const target = targetOf(found);
  if (target.startsWith(`${room}/`)) return undefined;
  if (!room.startsWith("packages/") && !target.startsWith("packages/")) return undefined;
  if (rules.exceptions.some((exception) => excuses(exception, found))) return undefined;
  return `${found.file}: ${found.specifier} leaves ${room}; a package is imported by its name.`;
}

function tableFault(found: Import, name: string, room: string, rules: Rules): string | undefined {
  if (rules.table[room]?.includes(name)) return undefined;
  if (rules.exceptions.some((exception) => excuses(exception, found))) return undefined;
  const allowed = rules.table[room]?.join(", ") || "no package of this repository";
  return `${found.file}: ${room} may not import ${name} (it may import ${allowed}).`;
}

function exportFault({ file, specifier }: Import, name: string, rules: Rules): string | undefined {
  const owner = Object.values(rules.manifests).find((manifest) => manifest.name === name);
  const path = specifier === name ? "." : `.${specifier.slice(name.length)}`;
  return owner?.exports.includes(path) ? undefined : `${file}: ${specifier} is not exported by ${name}.`;
}

/**
 * Test tools stand in the repository's own manifest, for every package. The rooms beside the packages reach the
 * repository's packages without a list: the table says which.
 */
function listFault(
  { file }: Import,
  name: string,
  manifest: Manifest | undefined,
  rules: Rules,
): string | undefined {
  const listed =
    manifest?.dependencies.includes(name) || (manifest?.name === "berth" && name.startsWith("@berth/"));
  const testTool = isTest(file) && rules.manifests["."]?.dependencies.includes(name);
  return listed || testTool
    ? undefined
    : `${file}: ${name} is not listed in the package.json of ${manifest?.name}.`;
}

function isTest(file: string): boolean {
  return file.endsWith(".test.ts") || /\/(testing|test-support)(\/|\.ts$)/.test(file);
}

/** An exception that excuses nothing any more is taken away, so that the list says what is so. */
function idleExceptions(imports: readonly Import[], exceptions: readonly ImportException[]): string[] {
  return exceptions
    .filter((one) => !imports.some((found) => excuses(one, found)))
    .map(
      ({ files, imports: name }) =>
        `script/import-table.ts: the exception of ${files} for ${name} is not used.`,
    );
}

function excuses({ files, imports }: ImportException, found: Import): boolean {
  const target = targetOf(found);
  return (
    found.file.startsWith(files) && (imports.endsWith("/") ? target.startsWith(imports) : target === imports)
  );
}

/** What is reached: a path in the repository, or a package's name. */
function targetOf({ file, specifier }: Import): string {
  return specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : packageName(specifier);
}

function roomOf(file: string, table: Rules["table"]): string | undefined {
  return Object.keys(table).find((room) => file.startsWith(`${room}/`));
}

function packageName(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}

function sourceFiles(root: string): string[] {
  const rooms = Object.keys(IMPORT_TABLE).map((room) =>
    room.startsWith("packages/") ? `${room}/{src,test-support}` : room,
  );
  return globSync(
    rooms.map((room) => `${room}/**/*.ts`),
    { cwd: root },
  ).sort();
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
