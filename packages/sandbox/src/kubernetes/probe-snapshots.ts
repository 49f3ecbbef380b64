import { type Capability, degraded, no, yes } from "../interface/capability.ts";
import type { PodSnapshots } from "./pod-snapshots.ts";

/** Returns whether sessions start on disks that are made from snapshots. Never throws. */
export async function probeSnapshots(snapshots: PodSnapshots | undefined): Promise<Capability> {
  if (snapshots === undefined)
    return degraded("snapshots", "No class of volume snapshots is set: every session clones.");
  const fault = await snapshots.fault();
  return fault === null
    ? yes("snapshots", "Disks are made of snapshots of volumes with an organization's repositories.")
    : no("snapshots", `${fault} Every session clones.`);
}
