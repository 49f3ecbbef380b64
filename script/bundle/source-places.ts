import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Plugin } from "esbuild";
import { pastDoors } from "./past-doors.ts";

export type Extension = ".ts" | ".js";

const OWN_FILE = /\/packages\/[^/]+\/src\/.*\.ts$/;
const PLACE = /\bimport\.meta\.(url|dirname|filename)\b/g;
const MODULE = "berth:source-place";
/** Files that locate the bundle's programs relative to themselves. */
const PROGRAM_PLACES = [
  "packages/server/src/start/fork-runner.ts",
  "packages/runs/src/lease/lease-program.ts",
];

/**
 * Makes `import.meta` give the place of a source, so that the source finds files beside it. Also replaces
 * imports of doors.
 */
export function sourcePlaces(root: string, extension: Extension): Plugin {
  return {
    name: "source-places",
    setup(build) {
      build.onResolve({ filter: /^berth:source-place$/ }, ({ path }) => ({ path, namespace: "berth" }));
      build.onLoad({ filter: /.*/, namespace: "berth" }, () => ({
        contents: SOURCE_PLACE,
        resolveDir: root,
      }));
      build.onLoad({ filter: OWN_FILE }, ({ path: file }) => {
        const path = relative(root, file);
        const source = readFileSync(file, "utf8");
        const text = pastDoors(root, source);
        if (PROGRAM_PLACES.includes(path) || !text.includes("import.meta."))
          return text === source ? undefined : { contents: text, loader: "ts" };
        const name = JSON.stringify(path.replace(/\.ts$/, extension));
        const placed = text.replaceAll(PLACE, `sourcePlace(${name}).$1`);
        // Appended, so that line numbers stay the same.
        return { contents: `${placed}\nimport { sourcePlace } from "${MODULE}";\n`, loader: "ts" };
      });
    },
  };
}

/** The code that locates sources. A file of the bundle is four levels below the repository. */
const SOURCE_PLACE = `
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

export function sourcePlace(path) {
  const { href } = new URL("../../../../" + path, import.meta.url);
  const filename = fileURLToPath(href);
  return { url: href, filename, dirname: dirname(filename) };
}
`;
