import { isPreparationDue, prepareCluster } from "../src/db/embedded/prepared-cluster.ts";

// Usage: node prepare-cluster.ts [--check]. It makes the cluster that installations copy. With --check it
// makes nothing, and exits with 1 if the cluster is due.
if (process.argv.includes("--check")) process.exitCode = isPreparationDue() ? 1 : 0;
else if (isPreparationDue()) await prepareCluster();
