// Exits with 0 if node_modules contains what package-lock.json lists, and with 1 if not. With the argument
// `running`, packages that are only for development may be missing; with `service`, also those of the console.
// This is plain JavaScript, because it runs on the machine's own Node before the pinned one is installed.
import { existsSync, readFileSync } from "node:fs";

const CONSOLE = "packages/console";
const kind = process.argv[2];
process.exitCode = isCurrent() ? 0 : 1;

function isCurrent() {
  if (!existsSync("node_modules/.package-lock.json")) return false;
  const lock = packagesOf("package-lock.json");
  const wanted = Object.entries(lock).filter(([path]) => path.startsWith("node_modules/"));
  const installed = packagesOf("node_modules/.package-lock.json");
  const isNeeded = kind === "service" ? ofService(lock) : () => true;
  return (
    hasPinnedNode(lock) &&
    wanted.every(([path, entry]) => !(isNeeded(path) || path in installed) || matches(entry, installed[path]))
  );
}

/**
 * Returns a function that tells whether a workspace package other than the console depends on the package at a
 * path. Indirect dependencies need no check, since npm writes its list of packages after it has installed all.
 */
function ofService(lock) {
  const own = Object.keys(lock).filter((path) => !path.includes("node_modules/") && path !== CONSOLE);
  const names = new Set(own.flatMap((path) => Object.keys(lock[path].dependencies ?? {})));
  return (path) => names.has(path.slice("node_modules/".length));
}

function packagesOf(lockfile) {
  return JSON.parse(readFileSync(lockfile, "utf8")).packages;
}

/**
 * Whether a package is installed as listed. Optional packages that are not installed belong to other
 * platforms.
 */
function matches(wanted, installed) {
  if (installed !== undefined) return installed.version === wanted.version;
  return wanted.optional === true || (kind !== "all" && (wanted.dev === true || wanted.devOptional === true));
}

/**
 * Whether the pinned Node is installed. npm treats it as optional, but Berth requires it on platforms for
 * which it exists.
 */
function hasPinnedNode(wanted) {
  const path = `node_modules/node-${process.platform}-${process.arch}`;
  return wanted[path] === undefined || existsSync(`${path}/bin/node`);
}
