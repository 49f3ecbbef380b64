// Exits with 0 if node_modules contains what package-lock.json lists, and with 1 if `npm ci` is needed. With
// the argument `running`, packages that are only for development may be missing. This is plain JavaScript,
// because it runs on the machine's own Node before the pinned one is installed.
import { existsSync, readFileSync } from "node:fs";

const onlyRunning = process.argv[2] === "running";
process.exitCode = isCurrent() ? 0 : 1;

function isCurrent() {
  if (!existsSync("node_modules/.package-lock.json")) return false;
  const wanted = packagesOf("package-lock.json");
  const installed = packagesOf("node_modules/.package-lock.json");
  return hasPinnedNode(wanted) && Object.keys(wanted).every((path) => matches(wanted[path], installed[path]));
}

function packagesOf(lockfile) {
  const { packages } = JSON.parse(readFileSync(lockfile, "utf8"));
  return Object.fromEntries(Object.entries(packages).filter(([path]) => path.startsWith("node_modules/")));
}

/**
 * Whether a package is installed as listed. Optional packages that are not installed belong to other
 * platforms.
 */
function matches(wanted, installed) {
  if (installed !== undefined) return installed.version === wanted.version;
  return wanted.optional === true || (onlyRunning && (wanted.dev === true || wanted.devOptional === true));
}

/**
 * Whether the pinned Node is installed. npm treats it as optional, but Berth requires it on platforms for
 * which it exists.
 */
function hasPinnedNode(wanted) {
  const path = `node_modules/node-${process.platform}-${process.arch}`;
  return wanted[path] === undefined || existsSync(`${path}/bin/node`);
}
