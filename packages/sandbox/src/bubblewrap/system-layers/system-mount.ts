import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { posix } from "node:path";
import { promisify } from "node:util";
import { LAYERED_HOME } from "../../inside/environment.ts";
import { isBelow } from "../../inside/mounts.ts";
import { SandboxError } from "../../interface/errors.ts";
import { SYSTEM_IDS, type SystemLayers } from "../../interface/spec.ts";
import { besideUsr, writeSystemTop } from "./root-filesystem.ts";

/**
 * Directories of a system that every sandbox shows, and further ones that only a sandbox which changes the
 * system shows.
 */
const SHOWN = ["/usr", "/etc", "/opt", "/var"];
const CHANGED = ["/root", "/home", "/srv"];

/** Directory of a disk with the changes of a system. */
export const UPPER = "upper";

/** Paths in the sandbox where something will be mounted. */
export interface Points {
  directories: readonly string[];
  files: readonly string[];
}

/** An overlay and the path at which to mount it. */
export interface OverlayMount {
  at: string;
  /** Lower layers, from the highest to the lowest. */
  lower: readonly string[];
  /** Directories to create for changes, on one filesystem; null for a read-only overlay. */
  changes: { upper: string; work: string } | null;
}

/** A system that is ready to be mounted for a sandbox. */
export interface PreparedSystem {
  /** Identifies it among the directories to bind mount. */
  key: string;
  /** Returns the overlay to mount at a path, with the changes on this disk. */
  mount(at: string, disk: string): OverlayMount;
  /** Returns bwrap's options that show the system mounted at a path. */
  arguments(at: string): Promise<string[]>;
}

/**
 * Prepares the system of a sandbox.
 *
 * @param top The path from `makeSystemTop`.
 * @param directory Directory of the sandbox, which is deleted with it.
 * @throws SandboxError when the system cannot be mounted.
 */
export async function prepareSystem(
  system: SystemLayers,
  top: string,
  directory: string,
  points: Points,
): Promise<PreparedSystem> {
  if (process.getuid?.() !== 0) throw new SandboxError("only root can mount a system for a sandbox");
  const { rootFilesystem, layers = [], changes } = system;
  const mountPoints = await makePoints(`${directory}/points`, points);
  const lower = [...mountPoints, top, ...layers.toReversed(), rootFilesystem];
  for (const path of lower)
    if (/[:,\\"\s]/.test(path)) throw new SandboxError("a path with these characters cannot be an overlay's");
  const bind = changes ? "--bind" : "--ro-bind";
  const shown = changes ? [...SHOWN, ...CHANGED] : SHOWN;
  return {
    key: rootFilesystem,
    mount: (at, disk) => ({
      at,
      lower,
      changes: changes ? { upper: `${disk}/${UPPER}`, work: `${disk}/work` } : null,
    }),
    arguments: async (at) => [
      ...shown.flatMap((path) => [bind, `${at}${path}`, path]),
      ...(await besideUsr(rootFilesystem)),
      ...(layers.length > 0 && !changes ? ["--ro-bind", `${at}/home/agent`, LAYERED_HOME] : []),
    ],
  };
}

/**
 * Makes a layer with the mount points, which bwrap cannot create in a read-only system. Returns its path, or
 * none when no point needs it.
 */
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

/** Writes the layer over every system of an engine, owned by the systems' root user. Returns its path. */
export async function makeSystemTop(directory: string, certificates: readonly string[]): Promise<string> {
  await writeSystemTop(directory, certificates);
  await own(directory);
  return directory;
}

/** Gives a directory to the systems' root user. No other user may have written to it. */
async function own(directory: string): Promise<void> {
  await promisify(execFile)("chown", ["-Rh", `${SYSTEM_IDS.first}:${SYSTEM_IDS.first}`, directory]);
}
