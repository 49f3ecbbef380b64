import { readFileSync } from "node:fs";
import { join } from "node:path";

interface LockEntry {
  version?: string;
  dependencies?: Record<string, string>;
}

/** The libraries for S3 and for sandboxes that are pods. */
const LIBRARIES = ["node_modules/@aws-sdk/client-s3", "node_modules/@kubernetes/client-node"];

/**
 * Returns the packages that only the Debian package has, by path in the repository: libraries that some
 * settings need, with their run-time dependencies.
 */
export function debianPackages(root: string): Map<string, { name: string; version: string }> {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockEntry>;
  };
  const found = new Map<string, { name: string; version: string }>();
  const add = (path: string) => {
    const { version, dependencies = {} } = packages[path] ?? {};
    const name = path.split("node_modules/").at(-1) ?? "";
    if (version === undefined || name.startsWith("@types/") || found.has(path)) return;
    found.set(path, { name, version });
    for (const dependency of Object.keys(dependencies)) add(placeOf(packages, path, dependency));
  };
  for (const library of LIBRARIES) add(library);
  return found;
}

/** Returns the path at which Node.js finds a package that the package at `path` imports. */
function placeOf(packages: Record<string, LockEntry>, path: string, name: string): string {
  const inside = `${path}/node_modules/${name}`;
  if (packages[inside] !== undefined) return inside;
  const outer = path.lastIndexOf("/node_modules/");
  return outer === -1 ? `node_modules/${name}` : placeOf(packages, path.slice(0, outer), name);
}
