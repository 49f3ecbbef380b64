import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { SystemLayers, SystemTree } from "@berth/sandbox";
import type { Disk } from "./disk.ts";

const HOST = "host";

/**
 * The system that the sandboxes of a disk have: the one of before, so that a session does not see another when its sandbox is
 * opened again, unless that is gone; on a new disk Berth's own when it is ready. Undefined: the engine's.
 *
 * @param tree null where sandboxes have what the engine gives them.
 */
export async function diskSystem(tree: SystemTree | null, disk: Disk): Promise<SystemLayers | undefined> {
  const state = tree?.state();
  if (state?.kind !== "ready") return undefined;
  return (await remembered(disk)) === HOST ? undefined : { tree: state.path };
}

/** Keeps in mind, beside what the agent sees of the disk, which system its sandbox was opened with. */
export async function rememberSystem(disk: Disk, system: SystemLayers | undefined): Promise<void> {
  const name = system === undefined ? HOST : basename(system.tree);
  if ((await remembered(disk)) !== name) await writeFile(file(disk), name);
}

async function remembered(disk: Disk): Promise<string | null> {
  return await readFile(file(disk), "utf8").catch(() => null);
}

function file(disk: Disk): string {
  return join(disk.path, "system");
}
