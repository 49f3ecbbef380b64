import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, utimesSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { findProgram, lockDirectoryShared } from "@berth/linux";
import { SandboxError } from "../interface/errors.ts";
import { shellScript } from "../scripts/read-script.ts";
import { missingSpace, TRIAL_PREFIX } from "./missing-for-root-filesystem.ts";
import { type Recipe, recipeKey } from "./recipe.ts";

const run = promisify(execFile);
const BUILD = shellScript("system/debian-tree.sh", "system/build-root-filesystem.sh");
const REMOVE = shellScript("system/remove-root-filesystem.sh");

/**
 * Characters of the programs' output to keep, and lines that an error quotes: the last ones contain the
 * reason.
 */
const MAX_TEXT = 4_000;
const MAX_LINES = 4;
/** Minutes that a directory of `missingForMounting` is left to the process that made it. */
const MAX_TRIAL_MINUTES = 60;
const NO_KEY =
  "mmdebstrap could not make the system: this machine has no key of its Debian; install debian-archive-keyring 2023.3+deb12u2 or newer";
/** Variables of this process that the build needs to reach the internet. */
const PROXY_VARIABLES = ["http_proxy", "https_proxy", "no_proxy"];
const NPM_REGISTRY = "https://registry.npmjs.org";

/** Where the packages of a root filesystem come from. */
export interface RootFilesystemSources {
  /** URL of a mirror of Debian; null for the one in this machine's source lists, or Debian's own servers. */
  debianMirror: string | null;
  /** URL of an npm registry; null for npm's public one. */
  npmRegistry: string | null;
}

export const PUBLIC_SOURCES: RootFilesystemSources = { debianMirror: null, npmRegistry: null };

/**
 * Builds the root filesystem of a recipe in a directory, unless it exists, and returns its path. When several
 * processes call this, one builds and the others wait. The build dies with this process, or when `signal`
 * aborts; the next build deletes its remains.
 *
 * @throws SandboxError with the end of the programs' output, or when there is too little space.
 */
export async function buildRootFilesystem(
  directory: string,
  recipe: Recipe,
  signal: AbortSignal,
  sources: RootFilesystemSources = PUBLIC_SOURCES,
): Promise<string> {
  const path = `${directory}/${recipeKey(recipe)}`;
  if (existsSync(path)) return path;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const missing = await missingSpace(directory);
  if (missing !== null) throw new SandboxError(`the system of sandboxes cannot be made: ${missing}`);
  const child = spawnBuild(path, recipe, sources);
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  try {
    if (signal.aborted) kill();
    await buildEnd(child);
    return path;
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

function spawnBuild(path: string, { lines }: Recipe, sources: RootFilesystemSources): ChildProcess {
  const script = ["sh", "-c", BUILD, "sh", path, lines.join("\n"), sources.npmRegistry ?? NPM_REGISTRY];
  return spawn(
    findProgram("setpriv") ?? "setpriv",
    [
      // When process 1 of these namespaces dies, every process and mount of the build ends with it.
      ...["--pdeathsig", "KILL", "--", "unshare", "--mount", "--pid", "--fork", "--kill-child=KILL"],
      ...["--mount-proc", "--", "flock", "--close", `${path}.lock`, ...script],
    ],
    { cwd: "/", env: buildVariables(sources), stdio: ["ignore", "pipe", "pipe"] },
  );
}

async function buildEnd(child: ChildProcess): Promise<void> {
  let text = "";
  const add = (chunk: unknown) => {
    text = (text + String(chunk)).slice(-MAX_TEXT);
  };
  child.stdout?.on("data", add);
  child.stderr?.on("data", add);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code === 0) return;
  if (/NO_PUBKEY|not signed/.test(text)) throw new SandboxError(NO_KEY);
  const end = text.trim().split("\n").slice(-MAX_LINES).join("\n");
  throw new SandboxError(`mmdebstrap could not make the system: ${end || "it was killed"}`);
}

function buildVariables({ debianMirror }: RootFilesystemSources): Record<string, string> {
  const proxies = Object.entries(process.env).filter(([name]) =>
    PROXY_VARIABLES.includes(name.toLowerCase()),
  );
  return {
    ...(Object.fromEntries(proxies) as Record<string, string>),
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    LC_ALL: "C.UTF-8",
    ...(debianMirror !== null && { DEBIAN_MIRROR: debianMirror }),
  };
}

/**
 * Marks a root filesystem as in use until this process ends or calls the returned function, so that no
 * service of another version removes it from a directory that they share. Returns null when there is none.
 */
export function useRootFilesystem(path: string): (() => void) | null {
  const release = existsSync(path) ? lockDirectoryShared(path) : null;
  if (release === null) return null;
  utimesSync(path, new Date(), new Date());
  return release;
}

export interface RootFilesystemSweep {
  directory: string;
  /** Key of the recipe whose root filesystem stays. */
  keep: string;
  /** Minutes since the last start of a service that uses one, after which it may be removed. */
  unusedMinutes: number;
}

/**
 * Removes root filesystems that no service uses, and the remains of builds that died. Skips one that another
 * process is building.
 */
export async function sweepRootFilesystems(sweep: RootFilesystemSweep): Promise<void> {
  const { directory, keep, unusedMinutes } = sweep;
  const entries = await readdir(directory).catch(() => []);
  const names = new Set(entries.map((name) => name.replace(/\.(making|lock)$/, "")));
  names.delete(keep);
  for (const name of names) {
    const path = `${directory}/${name}`;
    const minutes = name.startsWith(TRIAL_PREFIX)
      ? Math.max(MAX_TRIAL_MINUTES, unusedMinutes)
      : unusedMinutes;
    const lock = ["--nonblock", "--conflict-exit-code", "0", `${path}.lock`];
    await run("flock", [...lock, "sh", "-c", REMOVE, "sh", path, String(minutes)]);
  }
}
