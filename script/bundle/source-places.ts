import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Plugin } from "esbuild";
import { pastDoors } from "./past-doors.ts";

export type Extension = ".ts" | ".js";

const OWN_FILE = /\/packages\/[^/]+\/src\/.*\.ts$/;
const PLACE = /\bimport\.meta\.(url|dirname|filename)\b/g;
const MODULE = "berth:source-place";
/** Name programs of the bundle, by their own place. */
const PROGRAM_PLACES = [
  "packages/server/src/start/child-program.ts",
  "packages/runs/src/lease/lease-program.ts",
];

/** `import.meta` of a source goes on to say where the source is, so that it finds what lies beside it. Doors are looked past. */
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
        // At the end, so that lines keep their numbers.
        return { contents: `${placed}\nimport { sourcePlace } from "${MODULE}";\n`, loader: "ts" };
      });
    },
  };
}

/** A file of the bundle lies four levels below the repository. */
const SOURCE_PLACE = `
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

export function sourcePlace(path) {
  const { href } = new URL("../../../../" + path, import.meta.url);
  const filename = fileURLToPath(href);
  return { url: href, filename, dirname: dirname(filename) };
}
`;
