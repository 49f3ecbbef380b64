export { type VolumeSnapshotParts, VolumeSnapshots } from "./volume-snapshots/volume-snapshots.ts";
