import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { findProgram } from "@berth/linux";
import { SandboxError } from "../interface/errors.ts";
import { SYSTEM_IDS } from "../interface/spec.ts";
import { shellScript } from "../scripts/read-script.ts";
import { aptSources } from "./apt-sources.ts";
import { missingSpace } from "./missing-for-root-filesystem.ts";
import { type Recipe, recipeKey } from "./recipe.ts";

const BUILD_TREE = shellScript("system/build-root-filesystem.sh");

/** As much of what the programs said as is looked at, and of its lines as are told: the last ones say why. */
const MAX_TEXT = 4_000;
const TOLD_LINES = 4;
/** Of this process's variables, those that a machine needs to reach the internet. */
const PROXIES = ["http_proxy", "https_proxy", "no_proxy"];

/**
 * Makes the tree of a recipe below a directory, unless it is there, and answers its path. Among several processes one
 * builds and the others wait for it. The build dies with this process, and with `signal`; what it leaves then is removed
 * by the next.
 *
 * @throws SandboxError with the end of what the programs said, or that there is too little space.
 */
export async function buildRootFilesystem(
  directory: string,
  recipe: Recipe,
  signal: AbortSignal,
): Promise<string> {
  const tree = `${directory}/${recipeKey(recipe)}`;
  if (existsSync(tree)) return tree;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lack = await missingSpace(directory);
  if (lack !== null) throw new SandboxError(`the system of sandboxes cannot be made: ${lack}`);
  const names = [recipe.suite, recipe.packages.join(","), String(SYSTEM_IDS.first)];
  const script = ["sh", "-c", BUILD_TREE, "sh", tree, ...names];
  const child = spawn(
    findProgram("setpriv") ?? "setpriv",
    [
      // With process 1 of its namespaces every process of the build dies, and every mount goes.
      ...["--pdeathsig", "KILL", "--", "unshare", "--mount", "--pid", "--fork", "--kill-child=KILL"],
      ...["--mount-proc", "--", "flock", "--close", `${tree}.lock`],
      ...[...script, ...aptSources(recipe.suite)],
    ],
    { cwd: "/", env: buildEnvironment(), stdio: ["ignore", "pipe", "pipe"] },
  );
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  try {
    if (signal.aborted) kill();
    await ended(child);
    return tree;
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

async function ended(child: ChildProcess): Promise<void> {
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
  const told = text.trim().split("\n").slice(-TOLD_LINES).join("\n");
  throw new SandboxError(`mmdebstrap could not make the system: ${told || "it was killed"}`);
}

function buildEnvironment(): Record<string, string> {
  const proxies = Object.entries(process.env).filter(([name]) => PROXIES.includes(name.toLowerCase()));
  return {
    ...(Object.fromEntries(proxies) as Record<string, string>),
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    LC_ALL: "C.UTF-8",
  };
}
