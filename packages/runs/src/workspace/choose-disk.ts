import type { WarmWish } from "../disks/disk-store.ts";
import { beginRestore, type Save } from "../disks/saves/save-store.ts";
import type { ClaimedDisk } from "../disks/session-disk.ts";
import { onNewDisk } from "../inputs/resource-store.ts";
import type { SessionInputs } from "../inputs/session-inputs-store.ts";
import { DiskOrigin } from "./disk-origin.ts";
import type { OpenDeps, OpenTarget } from "./opening.ts";
import { mountedContents, sandboxSpec } from "./sandbox-spec.ts";

/** The disk that a sandbox is opened on. */
export interface ChosenDisk extends ClaimedDisk {
  /** The save from which a new disk is restored; null for none. */
  save: Save | null;
  /** Whether a new disk may be made from a snapshot of a volume. */
  mayBeMade: boolean;
}

/** The fields of a spec that depend on the disk, when there is none yet. */
const NO_DISK = { path: "", uid: 0, epoch: 0 };

/**
 * Returns the session's disk, or a new one. A new disk may be taken from the pool if no save is restored onto
 * it.
 *
 * @param inputs of the sandbox. Default: no disk is taken from the pool.
 * @param mayBeMade whether a snapshot of a volume may be used, which precedes the pool where it saves more.
 */
export async function chooseDisk(
  deps: OpenDeps,
  target: OpenTarget,
  inputs?: SessionInputs,
  mayBeMade = false,
): Promise<ChosenDisk> {
  const { disk, runLog, lease } = target;
  let save: Save | null = null;
  const claimed = await disk.claim(
    () => runLog.appendReclaimed("lost"),
    async () => {
      save = await beginRestore(deps.db.write, lease);
    },
    async () =>
      save === null && inputs !== undefined ? await wishOf(deps, target, inputs, mayBeMade) : null,
  );
  return { ...claimed, save, mayBeMade: mayBeMade && !claimed.fromPool };
}

async function wishOf(
  deps: OpenDeps,
  { lease }: OpenTarget,
  { session, ...inputs }: SessionInputs,
  mayBeMade: boolean,
): Promise<WarmWish | null> {
  const { pool, tunnels } = deps;
  if (pool === undefined) return null;
  const resources = inputs.resources.map(onNewDisk);
  const spec = sandboxSpec(deps, session, NO_DISK, resources);
  const files = mountedContents(resources, inputs.removals);
  const wish = pool.wish({ ...spec, files, hasTunnel: tunnels !== undefined });
  if (wish === null || !mayBeMade) return wish;
  return (await DiskOrigin.savesMuch(deps, { lease, session, resources, spec })) ? null : wish;
}
