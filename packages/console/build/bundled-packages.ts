import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

/**
 * Writes `packages.json`, the npm packages in the bundle as `name@version`, for the licences of a release.
 */
export function bundledPackages(): Plugin {
  return {
    name: "bundled-packages",
    apply: "build",
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
      const folders = new Set(files.filter((file) => file.includes("node_modules/")).map(packageFolder));
      const names = new Set([...folders].map(nameAndVersion));
      this.emitFile({
        type: "asset",
        fileName: "packages.json",
        source: `${JSON.stringify([...names].sort())}\n`,
      });
    },
  };
}

/** Returns the folder of a file's package. Some packages have further manifests without a name inside. */
function packageFolder(file: string): string {
  const [, folder = ""] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replace(/^\0/, "")) ?? [];
  return existsSync(join(folder, "package.json")) ? folder : dirname(folder);
}

function nameAndVersion(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  return `${name}@${version}`;
}
