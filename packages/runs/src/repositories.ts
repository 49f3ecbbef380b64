export type { ListRefs } from "./repositories/snapshots/build-snapshot.ts";
export { RepositorySnapshots, type SnapshotParts } from "./repositories/snapshots/repository-snapshots.ts";
export { SnapshotMetrics } from "./repositories/snapshots/snapshot-metrics.ts";
