import type { Sandbox } from "../interface/sandbox.ts";
import { shellScript } from "../scripts/read-script.ts";
import { checkoutVariables, type ResolvedCheckout } from "./resolve-checkout.ts";

/** Where a snapshot is made in the sandbox that makes it, and where that sandbox finds the mirror, read-only. */
export const SNAPSHOT_PATH = "/data/tree";
export const MIRROR_MOUNT_PATH = "/mnt/mirror.git";

export interface SnapshotOptions {
  /** What the checked out files may take, and what the objects may. */
  maxBytes: number;
  /** Files and directories. */
  maxFiles: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface BuiltSnapshot {
  commit: string;
  /** What it takes on the disk, with the space that files leave in blocks, and something for each, as those are limited, too. */
  bytes: number;
}

/**
 * Makes on this sandbox's disk what a fresh clone of the url would be, out of the mirror, with all its objects its own. Needs
 * neither a network nor a credential. Null when it could not be, or is too large, or has not what is resolved.
 */
export async function buildSnapshot(
  sandbox: Pick<Sandbox, "run">,
  url: string,
  resolved: ResolvedCheckout,
  { maxBytes, maxFiles, timeoutMs, signal }: SnapshotOptions,
): Promise<BuiltSnapshot | null> {
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
  if (result.exitCode !== 0) return null;
  const output = new TextDecoder().decode(result.output);
  const [, commit, kibibytes] = /^built ([0-9a-f]{40,64}) (\d{1,12})\n$/.exec(output) ?? [];
  return commit === undefined ? null : { commit, bytes: Number(kibibytes) * 1024 };
}

const BUILD = shellScript("workspace/git.sh", "workspace/settle.sh", "workspace/build-snapshot.sh");
