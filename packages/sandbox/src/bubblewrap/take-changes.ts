import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { isArchitecture } from "@berth/linux";
import { SandboxError } from "../sandbox.ts";
import { BLOCK_BYTES, MIB } from "./disk-image.ts";
import { imageOf } from "./disk-images.ts";
import { launchScript } from "./launch-script.ts";
import { stageDirectories } from "./stages.ts";
import { UPPER } from "./system-mount.ts";

const run = promisify(execFile);
/** None of cp's and of `launchScript`. */
const FULL = 90;
/** With less, something did not get there. */
const LEFT_BLOCKS = MIB / BLOCK_BYTES;

/**
 * Takes what the closed sandbox of a disk has changed of its system (`SystemLayers.changes`) to a directory of the host, as a layer
 * for others. With a limit it is copied out of the disk's image, by a process that dies with this one and in whose mount
 * namespace alone the image is mounted.
 *
 * @param to is made; on the filesystem of the disk.
 * @returns false when the disk is full: nothing is taken then.
 * @throws SandboxError when it cannot be, and the signal's reason.
 */
export async function takeChanges(disk: string, to: string, signal: AbortSignal): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true, mode: 0o711 });
  const image = imageOf(disk);
  if (!existsSync(image)) {
    await rename(`${disk}/${UPPER}`, to);
    return true;
  }
  if (!isArchitecture(process.arch)) throw new SandboxError(`${process.arch} is not known`);
  const [stage] = stageDirectories([to]).stages;
  const at = stage?.at ?? "/mnt";
  const steps = ["apart", "disk", image, at, "--", "sh", "-c", COPY, "sh", `${at}/${UPPER}`, to];
  try {
    const perl = ["perl", "-e", launchScript(process.arch), "--", ...steps];
    await run("setpriv", ["--pdeathsig", "KILL", "--", ...perl], { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if ((error as { code?: unknown }).code === FULL) return false;
    throw new SandboxError("what was changed of the system could not be taken", { cause: error });
  }
}

/** What a layer hides or replaces is recorded in attributes, so that cp has to fail where it cannot copy them. */
const COPY = `from=$1 to=$2
[ "$(stat -f -c %a "$from")" -ge ${LEFT_BLOCKS} ] && [ "$(stat -f -c %d "$from")" -gt 0 ] || exit ${FULL}
exec cp -dR -T --preserve=mode,ownership,timestamps,links,xattr -- "$from" "$to"`;
