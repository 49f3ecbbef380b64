import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { SandboxError } from "../../interface/errors.ts";
import { shellScript } from "../../scripts/read-script.ts";
import { imageOf } from "../disk-image/disk-images.ts";
import { planBindMounts } from "../launch/bind-mounts.ts";
import { launchArguments } from "../launch/launch-program.ts";
import { UPPER } from "./system-mount.ts";

const run = promisify(execFile);
const COPY_LAYER = shellScript("bubblewrap/copy-layer.sh");
/** Exit code of `copy-layer.sh` that neither cp nor `launch.pl` uses. */
const FULL = 90;

/**
 * Takes a closed sandbox's changes; see `SandboxEngine.takeChanges`. Changes in a plain directory are
 * renamed. Changes on a disk image are copied, by a process that dies with this one. The image is mounted
 * only in that process's mount namespace.
 *
 * @param changes Path on the disk, in no directory that a sandbox shows.
 */
export async function takeChanges(
  disk: string,
  to: string,
  signal: AbortSignal,
  changes: string = UPPER,
): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true, mode: 0o711 });
  const image = imageOf(disk);
  if (!existsSync(image)) {
    await rename(`${disk}/${changes}`, to);
    return true;
  }
  const at = planBindMounts([to]).bindMounts[0]?.at ?? "/mnt";
  const copy = ["sh", "-c", COPY_LAYER, "sh", `${at}/${changes}`, to];
  try {
    const perl = ["perl", ...launchArguments(["apart", "disk", image, at], copy)];
    await run("setpriv", ["--pdeathsig", "KILL", "--", ...perl], { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if ((error as { code?: unknown }).code === FULL) return false;
    throw new SandboxError("the changes of the system could not be copied", { cause: error });
  }
}
