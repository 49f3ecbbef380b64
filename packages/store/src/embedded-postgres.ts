export { copyCluster } from "./db/embedded/copy-cluster.ts";
export { preparedCluster } from "./db/embedded/prepared-cluster.ts";
export { restoreCluster } from "./db/embedded/restore-cluster.ts";
export { serverUser } from "./db/embedded/server-user.ts";
export {
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "./db/embedded/start-embedded-postgres.ts";
export { superviseEmbeddedPostgres } from "./db/embedded/supervise-embedded-postgres.ts";
