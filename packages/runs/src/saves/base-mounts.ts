import type { MountedSnapshot, Sandbox } from "@berth/sandbox";

/** A repository snapshot that a disk shows, and where the sandbox shows it a second time, as it was at first. */
export interface BaseMount {
  /** uuid of the snapshot. */
  snapshot: string;
  target: string;
  /** Null where it could not be mounted: then all of the repository is to be saved. */
  at: string | null;
}

/** What lies there is the agent's, so the target may be taken. */
const DIRECTORY = "/var/tmp";

/** Mounts each snapshot a second time. The agent may see it meanwhile. */
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

/** Nothing to do once the sandbox has ended: its next one does not mount them. */
export async function unmountBases(
  sandbox: Pick<Sandbox, "unmountSnapshot">,
  mounts: readonly BaseMount[],
): Promise<void> {
  for (const { at } of mounts) if (at !== null) await sandbox.unmountSnapshot(at);
}
