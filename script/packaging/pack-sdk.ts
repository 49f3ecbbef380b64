import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { contractTypes } from "./contract-types.ts";
import { run } from "./run.ts";

type SourceManifest = {
  private?: boolean;
  dependencies?: object;
  publishConfig: { engines: object; exports: object };
};

/** A file of the package's source, by its path in the package. */
type Source = { path: string; text: string };

/** The package's entry points, as in `publishConfig.exports` of its manifest. */
const DOORS = ["index", "operations", "examples"];

/**
 * Builds `@berth/sdk` as JavaScript and declarations without dependencies, and packs it into the directory.
 */
export async function packSdk(root: string, directory: string): Promise<void> {
  await withDeclarations(root, async (staging) => {
    await writeJavaScript(staging);
    writeManifest(root, staging);
    copyFileSync(join(root, "packages/sdk/README.md"), join(staging, "README.md"));
    copyFileSync(join(root, "LICENSE"), join(staging, "LICENSE"));
    await run("npm", ["pack", "--loglevel=error", "--pack-destination", directory], staging);
  });
}

/**
 * Writes the package's sources and declarations to a temporary directory, and removes it after `use`. Rejects
 * if the types have errors. @param use receives the directory.
 */
export async function withDeclarations(
  root: string,
  use: (staging: string) => Promise<void> = async () => {},
): Promise<void> {
  const staging = mkdtempSync(join(tmpdir(), "berth-sdk-package-"));
  try {
    await writeSources(root, join(staging, "src"));
    await writeDeclarations(root, staging);
    await use(staging);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Writes the client's files, and beside them the contract's operations and types that they need. */
async function writeSources(root: string, directory: string): Promise<void> {
  const sdk = sourcesIn(join(root, "packages/sdk/src"), "");
  const operations = sourcesIn(join(root, "packages/contract/src/operations"), "contract/operations/").filter(
    ({ path }) => !path.endsWith("/route.ts"), // the one file with schemas
  );
  const sources = [...sdk, ...operations];
  const types = await contractTypes(
    root,
    sources.flatMap(({ text }) => contractNamesIn(text)),
  );
  for (const { path, text } of [...sources, { path: "contract/types.ts", text: types }]) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, withPublishedImports(path, text));
  }
}

function sourcesIn(directory: string, prefix: string): Source[] {
  return globSync("**/*.ts", { cwd: directory })
    .filter((file) => !file.endsWith(".test.ts"))
    .sort()
    .map((file) => ({ path: prefix + file, text: readFileSync(join(directory, file), "utf8") }));
}

const CONTRACT_IMPORT =
  /^(?:import|export) type \{([^}]*)\} from "(?:@berth\/contract|\.\.\/conventions\/[\w-]+\.ts)";$/gm;

/** Returns the names that a file imports from the contract, without its aliases. */
function contractNamesIn(text: string): string[] {
  return [...text.matchAll(CONTRACT_IMPORT)].flatMap(([, list = ""]) =>
    list.split(",").flatMap((entry) => entry.trim().split(" as ")[0] || []),
  );
}

/**
 * Makes imports of the contract point to the files beside the client, and file names to the compiled ones.
 */
function withPublishedImports(path: string, text: string): string {
  const up = "../".repeat(path.split("/").length - 1) || "./";
  return text
    .replaceAll(/(from ")@berth\/contract"/g, `$1${up}contract/types.ts"`)
    .replaceAll(/(from ")@berth\/contract\/([\w-]+)"/g, `$1${up}contract/operations/$2.ts"`)
    .replaceAll(/(from ")\.\.\/conventions\/[\w-]+\.ts"/g, `$1${up}contract/types.ts"`)
    .replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"');
}

/**
 * Compiles against the published types, without those of Node.js and with the built-in objects of Node.js 20.
 * Use of something that a supported runtime lacks fails here.
 */
async function writeDeclarations(root: string, staging: string): Promise<void> {
  const configuration = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      target: "es2022",
      lib: ["es2023", "es2024.string", "dom", "dom.iterable", "dom.asynciterable"],
      types: [],
      noEmit: false,
      allowImportingTsExtensions: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: "src",
      outDir: "dist",
    },
    include: [],
    files: DOORS.map((door) => `src/${door}.ts`),
  };
  writeFileSync(join(staging, "package.json"), '{"type":"module"}');
  writeFileSync(join(staging, "tsconfig.json"), JSON.stringify(configuration));
  await run(join(root, "node_modules/.bin/tsc"), ["-p", staging], staging);
}

async function writeJavaScript(staging: string): Promise<void> {
  await build({
    absWorkingDir: staging,
    entryPoints: DOORS.map((door) => `src/${door}.ts`),
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    sourcemap: "linked",
    chunkNames: "shared-[hash]",
    logLevel: "warning",
  });
}

function writeManifest(root: string, staging: string): void {
  const source = JSON.parse(readFileSync(join(root, "packages/sdk/package.json"), "utf8")) as SourceManifest;
  const { private: _private, dependencies: _bundled, publishConfig, ...kept } = source;
  const manifest = { ...kept, ...publishConfig, sideEffects: false, files: ["dist"] };
  writeFileSync(join(staging, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}
