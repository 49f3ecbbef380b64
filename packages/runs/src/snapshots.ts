export type { ListRefs } from "./snapshots/build-snapshot.ts";
export { RepositorySnapshots, type SnapshotParts } from "./snapshots/repository-snapshots.ts";
export { SnapshotMetrics } from "./snapshots/snapshot-metrics.ts";
