import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type VersionedManifest = {
  version?: string;
  engines?: { node?: string };
} & Partial<Record<(typeof DEPENDENCY_FIELDS)[number], Readonly<Record<string, string>>>>;

const DEPENDENCY_FIELDS = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
] as const;

/**
 * The Node.js versions that run TypeScript directly. The repository's own `engines` states what
 * `script/setup` needs, which is less.
 */
const SOURCE_ENGINE = ">=24";

/** Files that mention a release, its files or its images. */
const MENTIONING = ["README.md", "deploy/chart/Chart.yaml", "deploy/image/build", "docs/guides/*.md"];
const MENTION =
  /(?:release\/|berth_|berth(?:-sandbox)?:|berth-(?:manifests|sdk)-|newTag: |[vV]ersion: )(\d+\.\d+\.\d+)/g;

/**
 * Compares versions with that of the repository's package.json. Returns one line for each package with another
 * version, for each dependency between packages that allows another, for each mention of another in guides, chart
 * and images, and for a lockfile or changelog without the version.
 */
export function versionFaults(root: string): string[] {
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  const manifestOf = (file: string): VersionedManifest => JSON.parse(read(file));
  const { version = "" } = manifestOf("package.json");
  const files = ["package.json", ...globSync("packages/*/package.json", { cwd: root }).sort()];
  return [
    ...files.flatMap((file) => manifestFaults(file, manifestOf(file), version)),
    ...globSync(MENTIONING, { cwd: root })
      .sort()
      .flatMap((file) => mentionFaults(file, read(file), version)),
    ...(manifestOf("package-lock.json").version === version
      ? []
      : [`package-lock.json: the version should be ${version}; npm install --package-lock-only writes it.`]),
    ...(read("CHANGELOG.md")
      .split("\n")
      .some((line) => `${line} `.startsWith(`## ${version} `))
      ? []
      : [`CHANGELOG.md: there is no heading '## ${version}'.`]),
  ];
}

/** Returns one line for each mention of a release with another version. */
export function mentionFaults(file: string, text: string, version: string): string[] {
  return [...text.matchAll(MENTION)]
    .filter(([, mentioned]) => mentioned !== version)
    .map(([mention]) => `${file}: the version of '${mention}' should be ${version}.`);
}

/** Returns the faults of one manifest. @param version the repository's version. */
export function manifestFaults(file: string, manifest: VersionedManifest, version: string): string[] {
  const own = manifest.version === version ? [] : [`${file}: the version should be ${version}.`];
  const engines =
    file === "package.json" || manifest.engines?.node === SOURCE_ENGINE
      ? []
      : [`${file}: engines.node should be ${SOURCE_ENGINE}.`];
  const dependencies = DEPENDENCY_FIELDS.flatMap((field) => Object.entries(manifest[field] ?? {}))
    .filter(([name, range]) => name.startsWith("@berth/") && range !== version)
    .map(([name]) => `${file}: the version of ${name} should be ${version}.`);
  return [...own, ...engines, ...dependencies];
}
