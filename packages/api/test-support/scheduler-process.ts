import { setTimeout as pause } from "node:timers/promises";
import { openDiskBlobs } from "@berth/store/blobs";
import { type Database, openDatabase, type Queryable } from "@berth/store/db";
import { OwnerLimits } from "@berth/store/limits";
import { SecretBox } from "@berth/store/secrets";
import { silentLog, type TestDatabase } from "@berth/store/test-support/database";
import { DeploymentScheduler } from "../src/features/deployments/runs/deployment-scheduler.ts";

/** What a process is told that runs due deployments. */
export interface SchedulerProcess {
  connection: TestDatabase["connection"];
  blobsDir: string;
  secretKey: Uint8Array;
  /**
   * The statement of a transaction that runs a deployment before which it kills itself. One more than there are:
   * after the commit. Infinity for never.
   */
  killAt: number;
}

/** Runs due deployments until it is told to stop, and then answers with the number of its statements. */
process.once("message", async ({ connection, blobsDir, secretKey, killAt }: SchedulerProcess) => {
  const db = openDatabase({ connection, log: silentLog, max: 4 });
  let statements = 0;
  const stepAfter = (own: number) => {
    statements += 1;
    if (own + 1 >= killAt) process.kill(process.pid, "SIGKILL");
  };
  const counted: Database = {
    ...db,
    async transaction(work) {
      let own = 0;
      const result = await db.transaction((tx) => {
        const query: Queryable["query"] = (statement) => {
          stepAfter(own);
          own += 1;
          return tx.query(statement);
        };
        return work({ query });
      });
      // A transaction that finds nothing due has one statement.
      if (own > 1) stepAfter(own);
      return result;
    },
  };
  const scheduler = new DeploymentScheduler({
    ...{
      db: counted,
      log: silentLog,
      blobs: await openDiskBlobs(blobsDir),
      limits: new OwnerLimits(db.read),
    },
    ...{ secrets: new SecretBox(secretKey), repositoryHosts: new Set(), gitHttpHosts: new Set() },
    hub: { publish: () => undefined },
    models: { totalCost: () => 0 },
  });
  let stopped = false;
  process.once("message", () => {
    stopped = true;
  });
  process.send?.("ready");
  while (!stopped) {
    await scheduler.runAllDue();
    await pause(1);
  }
  await db.close();
  process.send?.(statements);
  process.disconnect?.();
});
