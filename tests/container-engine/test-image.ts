import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";

/** The packages of the programs that tests run in a sandbox. */
const PACKAGES = [
  ...["bash", "dash", "coreutils", "util-linux", "findutils", "grep", "sed", "mawk", "procps", "perl", "git"],
  ...[
    "gzip",
    "tar",
    "hostname",
    "login",
    "passwd",
    "libc-bin",
    "mount",
    "diffutils",
    "curl",
    "ripgrep",
    "gh",
  ],
];
const EXCLUDED = /^usr\/(share\/(doc|man|locale|info|i18n|zsh|bash-completion)|include)\/|\.a$/;

/**
 * Writes the root filesystem of an image as a tar archive, from the installed files of the packages and their
 * dependencies. Returns its path.
 *
 * @param more further packages.
 */
export function writeTestImage(directory: string, more: readonly string[] = []): string {
  const [extra, list, archive] = [`${directory}/extra`, `${directory}/files`, `${directory}/image.tar`];
  const installed = [...PACKAGES, ...more].filter(isInstalled);
  const without = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"].map(
    (kind) => `--no-${kind}`,
  );
  const packages = execFileSync("apt-cache", ["depends", "--recurse", ...without, ...installed], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  })
    .split("\n")
    .filter((line) => /^[a-z0-9]/.test(line));
  const present = packages.filter(isInstalled);
  const files = query("-L", ...present)
    .split("\n")
    .map((path) => path.replace(/^\/(bin|sbin|lib|lib64)\//, "/usr/$1/").slice(1))
    .filter((path) => path.startsWith("usr/") && !EXCLUDED.test(path));
  // Links such as `awk` point to /etc/alternatives and belong to no package.
  const alternatives = readdirSync("/usr/bin", { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink() && readlinkSync(`/usr/bin/${entry.name}`).startsWith("/etc/"))
    .map(({ name }) => `usr/bin/${name}`);
  writeFileSync(list, [...new Set([...files, ...alternatives])].join("\n"));
  mkdirSync(`${extra}/etc`, { recursive: true });
  for (const name of ["alternatives", "ld.so.cache"])
    cpSync(`/etc/${name}`, `${extra}/etc/${name}`, { recursive: true, verbatimSymlinks: true });
  for (const name of ["bin", "sbin", "lib", "lib64"])
    symlinkSync(readlinkSync(`/${name}`), `${extra}/${name}`);
  mkdirSync(`${extra}/root`, { mode: 0o700 });
  const own = ["etc", "bin", "sbin", "lib", "lib64", "root"];
  execFileSync("tar", ["--create", "--file", archive, "--directory", extra, ...own], { stdio: "ignore" });
  const append = [
    "--append",
    "--file",
    archive,
    "--directory",
    "/",
    "--no-recursion",
    "--ignore-failed-read",
  ];
  execFileSync("tar", [...append, "--files-from", list], { stdio: "ignore" });
  return archive;
}

function isInstalled(name: string): boolean {
  return /^Status:.* installed$/m.test(query("--status", name));
}

/** Returns the output of dpkg-query, even if it does not know some of the names. */
function query(...words: string[]): string {
  try {
    return execFileSync("dpkg-query", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? "");
  }
}
