export type { ListRefs } from "./repositories/snapshots/build-snapshot.ts";
export { RepositorySnapshots, type SnapshotDeps } from "./repositories/snapshots/repository-snapshots.ts";
export { SnapshotMetrics } from "./repositories/snapshots/snapshot-metrics.ts";
