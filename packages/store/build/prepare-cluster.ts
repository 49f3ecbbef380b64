import { isPreparationDue, prepareCluster } from "../src/db/embedded/prepared-cluster.ts";

// node prepare-cluster.ts: makes the cluster that installations copy. --check: exits with 1 if that is due, and makes nothing.
if (process.argv.includes("--check")) process.exitCode = isPreparationDue() ? 1 : 0;
else if (isPreparationDue()) await prepareCluster();
