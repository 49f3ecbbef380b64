import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOrEmpty } from "./read-or-empty.ts";

/** Returns why this machine cannot limit the disks of sessions, after trying; false if it can. */
export function missingForDiskLimits(): string | false {
  if (process.getuid?.() !== 0) return "this is not root";
  const directory = mkdtempSync(join(tmpdir(), "loop-trial-"));
  try {
    const script = `PATH=$PATH:/usr/sbin:/sbin; truncate -s 16M "$0" && mkfs.ext4 -q "$0" && mount -o loop "$0" /mnt`;
    const image = join(directory, "image");
    execFileSync("unshare", ["--mount", "--propagation=private", "sh", "-c", script, image], {
      stdio: "ignore",
    });
    return false;
  } catch {
    return "loop devices cannot be mounted";
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A command prefix that starts a program with unusable loop devices. */
export const WITHOUT_LOOP_DEVICES: readonly string[] = [
  ...["unshare", "--mount", "--propagation=private", "sh", "-c"],
  `for device in /dev/loop*; do mount --bind /dev/null "$device" || exit 1; done; exec "$@"`,
  "sh",
];

/** Returns the backing files of loop devices below this directory. */
export function loopBackingFiles(directory: string): string[] {
  return readdirSync("/sys/block")
    .filter((name) => name.startsWith("loop"))
    .map((name) => readOrEmpty(`/sys/block/${name}/loop/backing_file`))
    .filter((path) => path.startsWith(`${directory}/`));
}
