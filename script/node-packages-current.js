// Exits 0 when node_modules holds what package-lock.json asks for, 1 when `npm ci` is due. Plain JavaScript, because it
// runs on the machine's own Node, before the pinned one is there.
import { existsSync, readFileSync } from "node:fs";

process.exitCode = isCurrent() ? 0 : 1;

function isCurrent() {
  if (!existsSync("node_modules/.package-lock.json")) return false;
  const wanted = packagesOf("package-lock.json");
  const installed = packagesOf("node_modules/.package-lock.json");
  return (
    pinnedNodeRuns(wanted) && Object.keys(wanted).every((path) => matches(wanted[path], installed[path]))
  );
}

function packagesOf(lockfile) {
  const { packages } = JSON.parse(readFileSync(lockfile, "utf8"));
  return Object.fromEntries(Object.entries(packages).filter(([path]) => path.startsWith("node_modules/")));
}

/** Optional packages are those of other platforms. */
function matches(wanted, installed) {
  return installed === undefined ? wanted.optional === true : installed.version === wanted.version;
}

/** The pinned Node is optional to npm, and not to us where there is one for this machine. */
function pinnedNodeRuns(wanted) {
  const path = `node_modules/node-${process.platform}-${process.arch}`;
  return wanted[path] === undefined || existsSync(`${path}/bin/node`);
}
