import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { plainHttp } from "./plain-http.ts";
import { type Extension, sourcePlaces } from "./source-places.ts";

/** Entry points of the programs: the command line with the service, and the service's child processes. */
const PROGRAMS = {
  main: "packages/cli/src/main.ts",
  "runner-process": "packages/server/src/start/runner-process.ts",
};
/**
 * Entry point of a runner's lease thread, which is bundled into one file of its own. Chunks shared with the
 * programs would make it load much code that it does not use.
 */
const THREAD = { "lease-thread": "packages/runs/src/lease/lease-thread.ts" };

export interface BundleOptions {
  /** The directory that the programs are written to. */
  directory: string;
  /** The extension of the sources where they are used; a release has compiled ones. */
  extension: Extension;
}

/**
 * Writes the programs for a directory of `packages/cli/dist`, in the repository or in a package with its
 * files. They share common code, keep names and line numbers, and import third-party packages as the sources
 * do. Returns the bundled source files.
 */
export async function bundle(root: string, options: BundleOptions): Promise<string[]> {
  const files = [...(await write(root, PROGRAMS, options)), ...(await write(root, THREAD, options))];
  return [...new Set(files)];
}

async function write(
  root: string,
  entryPoints: Readonly<Record<string, string>>,
  { directory, extension }: BundleOptions,
): Promise<string[]> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints,
    // Source maps are relative to this directory, wherever the files are written.
    outdir: join(root, "packages/cli/dist/bundle"),
    write: false,
    chunkNames: "chunk-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    tsconfigRaw: {},
    inject: [join(import.meta.dirname, "source-positions.ts")],
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    logLevel: "warning",
    plugins: [foreignPackages, plainHttp, sourcePlaces(root, extension)],
  });
  for (const { path, contents } of outputFiles) writeFileSync(join(directory, basename(path)), contents);
  return Object.keys(metafile.inputs).filter((path) => !path.includes(":"));
}

/**
 * A plugin that keeps third-party packages out of the bundle, each with its licence. They are loaded once for
 * the bundle and for files outside it.
 */
const foreignPackages: Plugin = {
  name: "foreign-packages",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" ||
      path.startsWith("@berth/") ||
      path.startsWith("berth:") ||
      path.startsWith("node:")
        ? undefined
        : { external: true },
    );
  },
};
