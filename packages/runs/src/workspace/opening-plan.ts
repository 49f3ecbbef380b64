import type { GitSettings, SandboxSpec } from "@berth/sandbox";
import type { Removal } from "../inputs/removal-store.ts";
import { onNewDisk, type RunResource } from "../inputs/resource-store.ts";
import type { RunSession, SessionInputs } from "../inputs/session-inputs-store.ts";
import { prefetchRefs } from "../repositories/snapshots/prefetch-refs.ts";
import type { PrefetchedRefs } from "../repositories/snapshots/prefetched-refs.ts";
import type { ChosenDisk } from "./choose-disk.ts";
import { DiskOrigin } from "./disk-origin.ts";
import { gitSettings } from "./git-settings.ts";
import type { OpenDeps, OpenTarget } from "./opening.ts";
import { type MountedContent, mountedContents, sandboxSpec } from "./sandbox-spec.ts";

/** Everything with which a sandbox is opened. */
export interface OpeningPlan {
  session: RunSession;
  disk: ChosenDisk;
  resources: readonly RunResource[];
  removals: readonly Removal[];
  spec: SandboxSpec;
  mounted: readonly MountedContent[];
  /** Refs that are requested while the sandbox is opened. */
  refs: PrefetchedRefs;
  git: Promise<GitSettings>;
  origin: DiskOrigin | null;
}

/** Plans the opening of a sandbox on this disk. Starts to request refs and git identities from hosts. */
export async function planOpening(
  deps: OpenDeps,
  { lease }: OpenTarget,
  disk: ChosenDisk,
  { session, removals, ...inputs }: SessionInputs,
): Promise<OpeningPlan> {
  const { isNew, save } = disk;
  const resources = isNew ? inputs.resources.map(onNewDisk) : inputs.resources;
  const notSaved = resources.filter(({ id }) => !save?.inPlace.includes(id));
  const refs = prefetchRefs(deps, session, notSaved);
  const git = gitSettings(deps, session, resources);
  const { fromPool } = disk;
  const spec = { ...sandboxSpec(deps, session, { ...disk, ...lease }, resources), fromPool };
  const target = { lease, session, resources: isNew && save === null ? resources : [], spec };
  const origin = await DiskOrigin.find(deps, target, disk.mayBeMade);
  return {
    session,
    disk,
    resources,
    removals,
    spec: origin?.source ? { ...spec, diskSource: origin.source.id } : spec,
    mounted: mountedContents(resources, removals),
    refs,
    git,
    origin,
  };
}
