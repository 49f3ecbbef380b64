import { fileURLToPath } from "node:url";

/**
 * Whether a test's service is a cluster of machines behind a balancer (`TEST_CLUSTER=1`), unless it needs its
 * own process or release.
 */
export const IN_CLUSTER = process.env.TEST_CLUSTER === "1";

/** The command line that serves such a cluster. */
export const CLUSTER_SERVICE = [
  process.execPath,
  fileURLToPath(new URL("../../many-machines/harness/serve-cluster.ts", import.meta.url)),
];
