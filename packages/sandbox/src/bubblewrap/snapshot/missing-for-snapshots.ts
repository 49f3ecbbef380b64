import { type ChildProcess, spawn } from "node:child_process";
import { chown, mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { findProgram } from "@berth/linux";
import { makeTrialImage, missingForImages } from "../disk-image/missing-for-images.ts";
import { HOLD_NAMESPACES, launchArguments } from "../launch/launch-program.ts";
import { MountHelper } from "./mount-helper.ts";
import { mountSnapshots } from "./snapshots.ts";

/** Two arbitrary uids other than root's. */
const [SNAPSHOT_UID, SANDBOX_UID] = [65_534, 65_533];

/**
 * Tries to mount a snapshot in this directory. Returns a clause that says what this machine lacks, or null.
 * Never throws.
 */
export async function missingForSnapshots(directory: string): Promise<string | null> {
  if (process.getuid?.() !== 0) return "Berth does not run as root";
  const perl = findProgram("perl");
  if (perl === null) return "perl is missing (package perl-base)";
  const helper = new MountHelper(perl);
  let trial: string | undefined;
  let stand: ChildProcess | undefined;
  try {
    trial = await mkdtemp(`${await realpath(directory)}/trial-`);
    for (const name of ["snapshot", "target", "disk"]) await mkdir(`${trial}/${name}`);
    await chown(`${trial}/snapshot`, SNAPSHOT_UID, SNAPSHOT_UID);
    stand = await startTrial(perl, trial, (await missingForImages(trial)) === null);
    const pid = stand.pid ?? 0;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "latin1");
    const host = { helper, bwrap: pid, init: Number(children), uid: SANDBOX_UID, disk: `${trial}/disk` };
    const snapshot = { source: `${trial}/snapshot`, uid: SNAPSHOT_UID, target: `${trial}/target` };
    const mounting = await mountSnapshots(host, [snapshot], "fresh");
    if (mounting.state === "mounted") return null;
    return "the kernel refuses an overlay over an id-mapped mount (it takes Linux 5.19 or newer, and where Berth runs in a container, the right to mount)";
  } catch {
    return "mount namespaces cannot be made";
  } finally {
    helper.close();
    stand?.kill("SIGKILL");
    if (trial !== undefined) await rm(trial, { recursive: true, force: true }).catch(() => {});
  }
}

/** Starts a process in the role of bwrap, with the disk mounted, and its child in the role of process 1. */
async function startTrial(perl: string, trial: string, withImage: boolean): Promise<ChildProcess> {
  const image = `${trial}/disk.ext4`;
  if (withImage) await makeTrialImage(image);
  const disk = withImage ? ["disk", image, `${trial}/disk`] : [];
  const unshare = [
    findProgram("unshare") ?? "",
    "--user",
    "--map-root-user",
    "--mount",
    "--fork",
    "--kill-child",
  ];
  const child = spawn(perl, launchArguments(["apart", ...disk], [...unshare, "sh", "-c", HOLD_NAMESPACES]), {
    stdio: ["pipe", "pipe", "ignore"],
  });
  await new Promise((resolve, reject) => {
    child.stdout?.once("data", resolve);
    child.once("error", reject).once("close", reject);
  });
  return child;
}
