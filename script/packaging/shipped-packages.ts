import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface LockEntry {
  version?: string;
  link?: boolean;
  /** For a link, the directory of the package. */
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** The packages of the repository that are built into files before they are shipped. */
export const BUILT_PACKAGES = ["packages/console"];

/**
 * Returns the npm packages that the service and the command line run with, as `name@version` by their paths
 * in the lockfile, such as `node_modules/zod`. A clone builds the console and the bundle before it runs, so its dependencies are more.
 */
export function shippedPackages(root: string): ReadonlyMap<string, string> {
  const lockfile = readFileSync(join(root, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, LockEntry> };
  const shipped = new Set<string>();
  const visit = (path: string) => {
    if (shipped.has(path) || BUILT_PACKAGES.includes(path)) return;
    shipped.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      follow(path, name);
  };
  const follow = (from: string, name: string) => {
    const path = resolve(packages, from, name);
    if (path !== null) visit(packages[path]?.link ? (packages[path].resolved ?? path) : path);
  };
  for (const path of Object.keys(packages))
    if (path.startsWith("packages/") && !path.includes("node_modules")) visit(path);
  for (const name of Object.keys(packages[""]?.optionalDependencies ?? {})) follow(".", name);
  const installed = [...shipped].filter((path) => path.includes("node_modules/"));
  return new Map(
    installed.map((path) => [path, `${path.split("node_modules/").at(-1)}@${packages[path]?.version}`]),
  );
}

/** Returns the path of a package as Node.js finds it from another; null when it is not installed. */
function resolve(packages: Record<string, LockEntry>, from: string, name: string): string | null {
  const path = join(from, "node_modules", name);
  if (packages[path] !== undefined) return path;
  return from === "." ? null : resolve(packages, dirname(from), name);
}
