import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { posix } from "node:path";
import { promisify } from "node:util";
import { isBelow } from "../../inside/disk.ts";
import { LAYERED_HOME } from "../../inside/paths.ts";
import { SandboxError } from "../../interface/errors.ts";
import { SYSTEM_IDS, type SystemLayers } from "../../interface/spec.ts";
import { besideUsr, writeSystemTop } from "./root-filesystem.ts";

/** Directories of a system that sandboxes show, and those that only who changes it does. */
const SHOWN = ["/usr", "/etc", "/opt", "/var"];
const CHANGED = ["/root", "/home", "/srv"];

/** Directory of a disk that holds what was changed of a system. */
export const UPPER = "upper";

/** Paths inside where something will be mounted. */
export interface Points {
  directories: readonly string[];
  files: readonly string[];
}

export interface OverlayMount {
  at: string;
  /** From the highest. */
  lower: readonly string[];
  /** Directories to make for what is changed, on one filesystem; null for an overlay that cannot be. */
  changes: { upper: string; work: string } | null;
}

/** A system that a sandbox is to show, made ready but for the mount. */
export interface PreparedSystem {
  /** Names the system among the directories to stage. */
  stage: string;
  /** What to mount, where its stage is known and the disk, which takes what is changed. */
  mount(at: string, disk: string): OverlayMount;
  /** bwrap's options that show it, where it is mounted. */
  arguments(at: string): Promise<string[]>;
}

/**
 * Makes ready what a sandbox has as its system.
 *
 * @param top From `makeSystemTop`.
 * @param directory of the sandbox's own, which goes with it.
 * @throws SandboxError where it cannot be mounted.
 */
export async function prepareSystem(
  system: SystemLayers,
  top: string,
  directory: string,
  points: Points,
): Promise<PreparedSystem> {
  if (process.getuid?.() !== 0) throw new SandboxError("only root can mount a system for a sandbox");
  const { tree, layers = [], changes } = system;
  const mountPoints = await makePoints(`${directory}/points`, points);
  const lower = [...mountPoints, top, ...layers.toReversed(), tree];
  for (const path of lower)
    if (/[:,\\"\s]/.test(path)) throw new SandboxError("a path with these characters cannot be an overlay's");
  const bind = changes ? "--bind" : "--ro-bind";
  const shown = changes ? [...SHOWN, ...CHANGED] : SHOWN;
  return {
    stage: tree,
    mount: (at, disk) => ({
      at,
      lower,
      changes: changes ? { upper: `${disk}/${UPPER}`, work: `${disk}/work` } : null,
    }),
    arguments: async (at) => [
      ...shown.flatMap((path) => [bind, `${at}${path}`, path]),
      ...(await besideUsr(tree)),
      ...(layers.length > 0 && !changes ? ["--ro-bind", `${at}/home/agent`, LAYERED_HOME] : []),
    ],
  };
}

/** bwrap makes the place of a mount where there is none; in a system, which is read-only, it has to be there. */
async function makePoints(directory: string, { directories, files }: Points): Promise<string[]> {
  const within = (paths: readonly string[]) =>
    paths.filter((inside) => SHOWN.some((path) => isBelow(inside, path)));
  for (const path of within(directories)) await mkdir(`${directory}${path}`, { recursive: true });
  for (const path of within(files)) {
    await mkdir(posix.dirname(`${directory}${path}`), { recursive: true });
    await writeFile(`${directory}${path}`, "");
  }
  if (within([...directories, ...files]).length === 0) return [];
  await own(directory);
  return [directory];
}

/** Writes what lies over every system in the sandboxes of an engine, and gives it to the systems' root. */
export async function makeSystemTop(directory: string, certificates: readonly string[]): Promise<string> {
  await writeSystemTop(directory, certificates);
  await own(directory);
  return directory;
}

/** Gives a directory that nobody else has written to whoever is root over the systems. */
async function own(directory: string): Promise<void> {
  await promisify(execFile)("chown", ["-Rh", `${SYSTEM_IDS.first}:${SYSTEM_IDS.first}`, directory]);
}
