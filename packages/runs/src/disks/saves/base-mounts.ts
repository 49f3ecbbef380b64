import type { MountedSnapshot, Sandbox } from "@berth/sandbox";

/** A repository snapshot on a disk, and its second mount, where the sandbox has it unchanged. */
export interface BaseMount {
  /** uuid of the snapshot. */
  snapshot: string;
  target: string;
  /** The path of the second mount; null when that failed, so that the whole repository must be saved. */
  at: string | null;
}

/** The directory of the mounts. The agent can write there, so a target may be taken. */
const DIRECTORY = "/var/tmp";

/** Mounts each snapshot a second time. The agent may see the mounts meanwhile. */
export async function mountBases(
  sandbox: Pick<Sandbox, "mountSnapshot">,
  snapshots: readonly MountedSnapshot[],
): Promise<BaseMount[]> {
  const mounts: BaseMount[] = [];
  for (const [index, snapshot] of snapshots.entries()) {
    const at = `${DIRECTORY}/.berth-base-${index}`;
    const isMounted = await sandbox.mountSnapshot({ ...snapshot, target: at });
    const { name = snapshot.source, target } = snapshot;
    mounts.push({ snapshot: name, target, at: isMounted ? at : null });
  }
  return mounts;
}

/** Unmounts the snapshots. After the end of the sandbox that is not needed. */
export async function unmountBases(
  sandbox: Pick<Sandbox, "unmountSnapshot">,
  mounts: readonly BaseMount[],
): Promise<void> {
  for (const { at } of mounts) if (at !== null) await sandbox.unmountSnapshot(at);
}
