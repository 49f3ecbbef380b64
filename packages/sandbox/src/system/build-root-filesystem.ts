import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { findProgram } from "@berth/linux";
import { SandboxError } from "../interface/errors.ts";
import { SYSTEM_IDS } from "../interface/spec.ts";
import { shellScript } from "../scripts/read-script.ts";
import { aptSources } from "./apt-sources.ts";
import { missingSpace } from "./missing-for-root-filesystem.ts";
import { type Recipe, recipeKey } from "./recipe.ts";

const run = promisify(execFile);
const BUILD = shellScript("system/build-root-filesystem.sh");
const REMOVE = shellScript("system/remove-root-filesystem.sh");

/**
 * Characters of the programs' output to keep, and lines that an error quotes: the last ones contain the
 * reason.
 */
const MAX_TEXT = 4_000;
const MAX_LINES = 4;
/** Variables of this process that the build needs to reach the internet. */
const PROXY_VARIABLES = ["http_proxy", "https_proxy", "no_proxy"];

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
): Promise<string> {
  const path = `${directory}/${recipeKey(recipe)}`;
  if (existsSync(path)) return path;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const missing = await missingSpace(directory);
  if (missing !== null) throw new SandboxError(`the system of sandboxes cannot be made: ${missing}`);
  const child = spawnBuild(path, recipe);
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

function spawnBuild(path: string, { suite, packages }: Recipe): ChildProcess {
  const script = ["sh", "-c", BUILD, "sh", path, suite, packages.join(","), String(SYSTEM_IDS.first)];
  return spawn(
    findProgram("setpriv") ?? "setpriv",
    [
      // When process 1 of these namespaces dies, every process and mount of the build ends with it.
      ...["--pdeathsig", "KILL", "--", "unshare", "--mount", "--pid", "--fork", "--kill-child=KILL"],
      ...["--mount-proc", "--", "flock", "--close", `${path}.lock`],
      ...[...script, ...aptSources(suite)],
    ],
    { cwd: "/", env: buildVariables(), stdio: ["ignore", "pipe", "pipe"] },
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
  const end = text.trim().split("\n").slice(-MAX_LINES).join("\n");
  throw new SandboxError(`mmdebstrap could not make the system: ${end || "it was killed"}`);
}

function buildVariables(): Record<string, string> {
  const proxies = Object.entries(process.env).filter(([name]) =>
    PROXY_VARIABLES.includes(name.toLowerCase()),
  );
  return {
    ...(Object.fromEntries(proxies) as Record<string, string>),
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    LC_ALL: "C.UTF-8",
  };
}

/**
 * Removes every root filesystem in a directory except `keep`, and the remains of builds that died. Call it
 * before any sandbox is open. Skips one that another process is building.
 */
export async function sweepRootFilesystems(directory: string, keep: string): Promise<void> {
  const entries = await readdir(directory).catch(() => []);
  const names = new Set(entries.map((name) => name.replace(/\.(making|lock)$/, "")));
  names.delete(keep);
  for (const name of names) {
    const path = `${directory}/${name}`;
    const lock = ["--nonblock", "--conflict-exit-code", "0", `${path}.lock`];
    await run("flock", [...lock, "sh", "-c", REMOVE, "sh", path]);
  }
}
