import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { DiskLimitError } from "../../interface/errors.ts";
import { launchArguments } from "../launch/launch-program.ts";
import { imagePrograms, MIB, makeImage } from "./disk-image.ts";

const run = promisify(execFile);

/**
 * Tries to make and mount a small image. Returns a clause that says what this machine lacks, or null. Never
 * throws.
 */
export async function missingForImages(directory: string): Promise<string | null> {
  const programs = imagePrograms();
  if (typeof programs === "string") return programs;
  let trial: string | undefined;
  try {
    trial = await mkdtemp(`${directory}/trial-`);
    const path = `${trial}/disk.ext4`;
    await makeTrialImage(path);
    await run("perl", launchArguments(["apart", "disk", path, "/mnt"], ["/bin/true"]));
    return null;
  } catch {
    return "its loop devices cannot be used; where Berth runs in a container, give it /dev/loop-control and the loop devices";
  } finally {
    if (trial !== undefined) await rm(trial, { recursive: true, force: true }).catch(() => {});
  }
}

/** Makes a small image for a trial. Rejects when none can be made. */
export async function makeTrialImage(path: string): Promise<void> {
  const programs = imagePrograms();
  if (typeof programs === "string") throw new DiskLimitError(programs);
  await makeImage(programs, path, 16 * MIB);
}
