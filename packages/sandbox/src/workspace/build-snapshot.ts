import type { Sandbox } from "../interface/sandbox.ts";
import { shellScript } from "../scripts/read-script.ts";
import { checkoutVariables, type ResolvedCheckout } from "./resolve-checkout.ts";

/** Path of the snapshot in the sandbox that builds it. */
export const SNAPSHOT_PATH = "/data/tree";
/** Path in that sandbox at which the mirror is mounted read-only. */
export const MIRROR_MOUNT_PATH = "/mnt/mirror.git";

export interface SnapshotOptions {
  /** Maximum bytes of the checked out files, and separately of the objects. */
  maxBytes: number;
  /** Maximum number of files and directories. */
  maxFiles: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface BuiltSnapshot {
  commit: string;
  /** Disk usage in whole blocks, plus 4 KiB for each file, since the number of files is also limited. */
  bytes: number;
}

/**
 * Builds what a fresh clone of the URL would be, from the mirror, on this sandbox's disk. The clone has its
 * own copy of all objects. Needs neither a network nor a credential. On failure, the result has the reason,
 * as a clause about the repository.
 */
export async function buildSnapshot(
  sandbox: Pick<Sandbox, "run">,
  url: string,
  resolved: ResolvedCheckout,
  { maxBytes, maxFiles, timeoutMs, signal }: SnapshotOptions,
): Promise<BuiltSnapshot | { reason: string }> {
  const result = await sandbox.run({
    script: BUILD,
    cwd: "/",
    environment: {
      ...checkoutVariables(url, resolved),
      BERTH_MIRROR_DIRECTORY: MIRROR_MOUNT_PATH,
      BERTH_SNAPSHOT_DIRECTORY: SNAPSHOT_PATH,
      BERTH_SNAPSHOT_BYTES: String(maxBytes),
      BERTH_SNAPSHOT_FILES: String(maxFiles),
    },
    timeoutMs,
    signal,
  });
  if (result.ended === "timeout")
    return { reason: `its clone took longer than ${timeoutMs / 60_000} minutes` };
  if (result.exitCode !== 0) return { reason: REASONS[result.exitCode ?? 1] ?? FAILED };
  const output = new TextDecoder().decode(result.output);
  const [, commit, kibibytes] = /^built ([0-9a-f]{40,64}) (\d{1,12})\n$/.exec(output) ?? [];
  return commit === undefined ? { reason: FAILED } : { commit, bytes: Number(kibibytes) * 1024 };
}

const FAILED = "its clone could not be made from the mirror";

/** Reasons by the exit status of the script. */
const REASONS: Readonly<Record<number, string>> = {
  80: "its files or objects exceed the size limit",
  81: "its LFS server did not provide all Git LFS files",
  82: "a clone does not contain its branch or commit",
  83: "its checkout differs from the commit",
};

const BUILD = shellScript(
  "workspace/git.sh",
  "workspace/lfs.sh",
  "workspace/settle.sh",
  "workspace/build-snapshot.sh",
);
