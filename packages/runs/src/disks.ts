export { countReady } from "./disks/pool/pool-store.ts";
export { WarmPool } from "./disks/pool/warm-pool.ts";
export { sweepDisks } from "./disks/sweep-disks.ts";
export { type VolumeSnapshotDeps, VolumeSnapshots } from "./disks/volume-snapshots/volume-snapshots.ts";
