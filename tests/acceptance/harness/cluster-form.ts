import { fileURLToPath } from "node:url";

/** `TEST_CLUSTER=1`: a service of a test is several machines behind a balancer, unless it needs a process or release of its own. */
export const IN_CLUSTER = process.env.TEST_CLUSTER === "1";

/** A command line that serves as such a service. */
export const CLUSTER_SERVICE = [
  process.execPath,
  fileURLToPath(new URL("../../many-machines/harness/serve-cluster.ts", import.meta.url)),
];
