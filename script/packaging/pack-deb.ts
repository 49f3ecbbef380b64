import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { berthManifest, berthShrinkwrap } from "./berth-manifest.ts";
import { debianPackages } from "./debian-packages.ts";
import { run } from "./run.ts";

/** The same modification time as in npm's archives. */
const MTIME = 499_162_500;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
/**
 * The programs that the service runs on the host, and those that agents find in sandboxes with the host's
 * `/usr`; see script/setup. Essential packages are omitted.
 */
const DEPENDS = [
  ...["adduser", "bubblewrap", "ca-certificates", "curl", "e2fsprogs", "gh", "git"],
  ...["iproute2", "jq", "libatomic1", "libc6 (>= 2.28)", "libgcc-s1", "libstdc++6", "openssl", "uidmap"],
];
const RECOMMENDS = ["debian-archive-keyring", "git-lfs", "mmdebstrap", "ripgrep", "systemd"];

export interface DebParts {
  /** The directory that `stageBerth` wrote. */
  staging: string;
  /** The text of all licences. */
  licenses: string;
}

/**
 * Builds the Debian package `berth` for this machine's architecture and writes it into the directory. It has
 * the files of the npm package, its installed dependencies, the libraries for S3 and pods, Node.js, and the
 * systemd unit.
 */
export async function packDeb(root: string, directory: string, parts: DebParts): Promise<void> {
  const tree = mkdtempSync(join(tmpdir(), "berth-deb-"));
  try {
    const { version } = berthManifest(root) as { version: string };
    const control = controlOf(version.replace("-", "~"));
    writeProgram(root, parts.staging, join(tree, "usr/lib/berth"));
    writeDocumentation(root, join(tree, "usr/share/doc/berth"), parts.licenses);
    writeSystem(root, tree);
    normalize(tree);
    writeControl(root, join(tree, "DEBIAN"), control, installedKilobytes(tree));
    const name = `berth_${control.Version}_${control.Architecture}.deb`;
    const build = ["--root-owner-group", "-Zgzip", "-z6", "--build", tree, join(directory, name)];
    await run("env", [`SOURCE_DATE_EPOCH=${MTIME}`, "dpkg-deb", ...build], root);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function controlOf(version: string) {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`Berth does not run on ${process.arch}.`);
  return {
    Package: "berth",
    Version: version,
    Architecture: architecture,
    Maintainer: "The authors of Berth <berth@berth.invalid>",
    Section: "devel",
    Priority: "optional",
    Depends: DEPENDS.join(", "),
    Recommends: RECOMMENDS.join(", "),
    Description: [
      "self-hosted service that runs coding agents in sandboxed sessions",
      " Sessions have repositories, files and memory stores in a sandbox, which reaches",
      " only the hosts that it is allowed. The package has the service, its command",
      " line, the Node.js that it runs on, and an embedded PostgreSQL.",
    ].join("\n"),
  };
}

function writeProgram(root: string, staging: string, directory: string): void {
  cpSync(staging, directory, { recursive: true });
  const { packages } = berthShrinkwrap(root) as { packages: Record<string, object> };
  for (const path of new Set([...Object.keys(packages), ...debianPackages(root).keys()])) {
    const isNested = path.lastIndexOf("node_modules/") > 0;
    // Packages for other platforms are not installed. Nested ones are copied with their parent.
    if (path === "" || isNested || !existsSync(join(root, path))) continue;
    const options = { recursive: true, verbatimSymlinks: true, filter: isRun };
    cpSync(join(root, path), join(directory, path), options);
  }
  cpSync(join(root, `node_modules/node-linux-${process.arch}/bin/node`), join(directory, "node"));
}

/** Whether a file is needed at run time. Type declarations and source maps are half of some libraries. */
function isRun(path: string): boolean {
  return !/\.d\.[cm]?ts(\.map)?$|\.[cm]?js\.map$/.test(path);
}

function writeDocumentation(root: string, directory: string, licenses: string): void {
  mkdirSync(directory, { recursive: true });
  cpSync(join(root, "deploy/debian/copyright"), join(directory, "copyright"));
  writeFileSync(join(directory, "changelog.gz"), zipped(readFileSync(join(root, "CHANGELOG.md"))));
  writeFileSync(join(directory, "THIRD-PARTY-LICENSES.gz"), zipped(licenses));
}

function writeSystem(root: string, tree: string): void {
  const files = {
    "deploy/debian/berth": "usr/bin/berth",
    "deploy/systemd/berth.service": "usr/lib/systemd/system/berth.service",
    "deploy/systemd/berth.yaml": "etc/berth/berth.yaml",
    "deploy/systemd/berth.env": "etc/berth/berth.env",
    "deploy/debian/lintian-overrides": "usr/share/lintian/overrides/berth",
  };
  for (const [from, to] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, to)), { recursive: true });
    cpSync(join(root, from), join(tree, to));
  }
}

/** Sets modes and times that do not depend on who builds it and when. */
function normalize(tree: string): void {
  for (const path of everything(tree)) {
    const status = lstatSync(path);
    const isExecutable = status.isDirectory() || (status.mode & 0o100) !== 0;
    if (!status.isSymbolicLink()) chmodSync(path, isExecutable ? 0o755 : 0o644);
    lutimesSync(path, MTIME, MTIME);
  }
  const secret = join(tree, "etc/berth/berth.env");
  chmodSync(secret, 0o600);
  lutimesSync(secret, MTIME, MTIME);
}

function writeControl(root: string, directory: string, control: object, kilobytes: number): void {
  mkdirSync(directory, { mode: 0o755 });
  const fields = Object.entries({ ...control, "Installed-Size": kilobytes });
  writeFileSync(join(directory, "control"), fields.map(([key, value]) => `${key}: ${value}\n`).join(""));
  writeFileSync(join(directory, "conffiles"), "/etc/berth/berth.env\n/etc/berth/berth.yaml\n");
  for (const name of ["postinst", "prerm", "postrm"])
    cpSync(join(root, "deploy/debian", name), join(directory, name));
  for (const path of everything(directory)) lutimesSync(path, MTIME, MTIME);
}

function installedKilobytes(tree: string): number {
  const sizes = globSync("**", { cwd: tree }).map((path) => lstatSync(join(tree, path)).size);
  return Math.ceil(sizes.reduce((sum, size) => sum + Math.ceil(size / 1024), 0));
}

/** Returns everything in the directory, and last the directory itself. */
function everything(directory: string): string[] {
  const inside = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return [...inside.map((name) => join(directory, name)), directory];
}

function zipped(text: string | Uint8Array): Buffer {
  return gzipSync(text, { level: 9 });
}
