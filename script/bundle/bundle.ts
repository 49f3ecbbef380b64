import { join } from "node:path";
import { build } from "esbuild";
import { plainHttp } from "./plain-http.ts";
import { type Extension, sourcePlaces } from "./source-places.ts";

/** The programs: the command line with the service, and the service's child processes. */
const PROGRAMS = {
  main: "packages/cli/src/main.ts",
  "runner-process": "packages/server/src/start/runner-process.ts",
  "api-process": "packages/server/src/start/api-process.ts",
};

/**
 * Writes the programs into the directory, which lies four levels below that of the repository or the package that it is used in.
 * They share what they have in common, keep names and lines, and import packages of others as the sources do.
 *
 * @param extension of the sources' own names where it is used: those of a release are compiled.
 * @returns the files of the repository of which it has code.
 */
export async function bundle(root: string, directory: string, extension: Extension): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: PROGRAMS,
    outdir: directory,
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
  return Object.keys(metafile.inputs).filter((path) => !path.includes(":"));
}

/** Stay where they are, each with its licence, and are loaded once for the bundle and for what is not in it. */
const foreignPackages = {
  name: "foreign-packages",
  setup(build: import("esbuild").PluginBuild) {
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
