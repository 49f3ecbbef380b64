import { readFileSync } from "node:fs";
import { join } from "node:path";

interface LockEntry {
  version?: string;
  dependencies?: Record<string, string>;
}

const SDK = "node_modules/@aws-sdk/client-s3";

/**
 * What contents in S3 need, by its place in the repository: the SDK with all that it depends on. The npm package does not have it,
 * the Debian package does.
 */
export function s3Packages(root: string): Map<string, { name: string; version: string }> {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockEntry>;
  };
  const found = new Map<string, { name: string; version: string }>();
  const add = (path: string) => {
    const { version, dependencies = {} } = packages[path] ?? {};
    if (version === undefined || found.has(path)) return;
    found.set(path, { name: path.split("node_modules/").at(-1) ?? "", version });
    for (const name of Object.keys(dependencies)) add(placeOf(packages, path, name));
  };
  add(SDK);
  return found;
}

/** Where Node.js finds a package that one at `path` imports. */
function placeOf(packages: Record<string, LockEntry>, path: string, name: string): string {
  const inside = `${path}/node_modules/${name}`;
  if (packages[inside] !== undefined) return inside;
  const outer = path.lastIndexOf("/node_modules/");
  return outer === -1 ? `node_modules/${name}` : placeOf(packages, path.slice(0, outer), name);
}
