import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { bundle } from "../bundle/bundle.ts";
import { berthManifest, berthShrinkwrap, pinnedNode } from "./berth-manifest.ts";
import { PUBLISHED_NAME } from "./published-name.ts";
import { run } from "./run.ts";
import { withRelativeImports } from "./with-relative-imports.ts";

/** The files that the service reads or runs besides JavaScript, and those for its users. */
const ASSETS = [
  "packages/*/scripts/**",
  "packages/*/src/**/*.{sql,css,txt}",
  "packages/*/package.json",
  "packages/contract/openapi.json",
  "packages/console/dist/**",
  "script/first-session/usage.txt",
  "deploy/{sandbox-image,systemd}/*",
  "docs/{guides,security}/*.md",
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
];

/** The console's sources, which its build contains. */
const CONSOLE = "packages/console/src";

/**
 * Packs the service and the command line, from the directory that `stageBerth` wrote, as `berth-VERSION.tgz`
 * into the directory.
 */
export async function packBerth(staging: string, directory: string): Promise<void> {
  await run("npm", ["pack", "--loglevel=error", "--pack-destination", directory], staging);
  const { version } = JSON.parse(readFileSync(join(staging, "package.json"), "utf8")) as { version: string };
  const packed = `${PUBLISHED_NAME.replace("@", "").replace("/", "-")}-${version}.tgz`;
  renameSync(join(directory, packed), join(directory, `berth-${version}.tgz`));
}

/** The program that starts with `berth up`, and is not in the bundle. */
const FIRST_SESSION = "script/first-session/up.js";

/**
 * Builds the files of `berth` into a directory: the service and the command line as a bundle, which starts
 * faster. Other programs are JavaScript files at their paths in the repository, so that relative paths stay
 * valid.
 */
export async function stageBerth(root: string, staging: string): Promise<void> {
  await writeJavaScript(root, staging);
  await removeBundled(staging);
  await writeBundle(root, join(staging, "packages/cli/dist/bundle"));
  for (const file of globSync(ASSETS, { cwd: root, exclude: [`${CONSOLE}/**`] })) copy(root, staging, file);
  writeLauncher(root, staging);
  writeJson(join(staging, "package.json"), berthManifest(root));
  writeJson(join(staging, "npm-shrinkwrap.json"), berthShrinkwrap(root));
}

async function writeJavaScript(root: string, staging: string): Promise<void> {
  const configuration = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      noCheck: true, // `npm run check` checks types
      allowImportingTsExtensions: false,
      rewriteRelativeImportExtensions: true,
      rootDir: root,
      outDir: staging,
      types: [],
    },
    include: [join(root, "packages/*/src")],
    exclude: [join(root, "**/*.test.ts"), join(root, CONSOLE)],
    files: [join(root, "script/first-session/up.ts")],
  };
  const file = join(staging, "tsconfig.json");
  writeJson(file, configuration);
  await run(join(root, "node_modules/.bin/tsc"), ["-p", staging], root);
  rmSync(file);
  for (const path of globSync("**/*.js", { cwd: staging })) {
    const text = readFileSync(join(staging, path), "utf8");
    writeFileSync(join(staging, path), withRelativeImports(root, path, text));
  }
}

/** Removes the packages' files except those that programs outside the bundle import. */
async function removeBundled(staging: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: staging,
    entryPoints: [FIRST_SESSION],
    bundle: true,
    write: false,
    outdir: staging,
    format: "esm",
    platform: "node",
    packages: "external",
    metafile: true,
    logLevel: "warning",
  });
  const kept = new Set(Object.keys(metafile.inputs));
  for (const file of globSync("packages/*/src/**/*.js", { cwd: staging }))
    if (!kept.has(file)) rmSync(join(staging, file));
}

async function writeBundle(root: string, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  await bundle(root, { directory, extension: ".js" });
}

function copy(root: string, staging: string, file: string): void {
  mkdirSync(dirname(join(staging, file)), { recursive: true });
  cpSync(join(root, file), join(staging, file), { recursive: true });
}

/** Writes the launcher as CommonJS, which any Node.js runs without a file extension. */
function writeLauncher(root: string, staging: string): void {
  const text = readFileSync(join(root, "script/packaging/launcher.cjs"), "utf8");
  mkdirSync(join(staging, "bin"));
  writeJson(join(staging, "bin/package.json"), { type: "commonjs" });
  writeFileSync(join(staging, "bin/berth"), text.replace("__NODE_PACKAGES_VERSION__", pinnedNode(root)), {
    mode: 0o755,
  });
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
