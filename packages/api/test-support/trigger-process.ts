import { setTimeout as pause } from "node:timers/promises";
import { createGuardedFetch } from "@berth/egress";
import { openDiskBlobs } from "@berth/store/blobs";
import { type Database, openDatabase, type Queryable } from "@berth/store/db";
import { OwnerLimits } from "@berth/store/limits";
import { SecretBox } from "@berth/store/secrets";
import { silentLog } from "@berth/store/test-support/database";
import { TriggerWorker } from "../src/features/triggers/work/trigger-worker.ts";
import type { SchedulerProcess } from "./scheduler-process.ts";

/** Hands deliveries of triggers on until it is told to stop, and then answers with the number of its statements. */
process.once("message", async ({ connection, blobsDir, secretKey, killAt }: SchedulerProcess) => {
  const db = openDatabase({ connection, log: silentLog, max: 4 });
  let statements = 0;
  const step = () => {
    statements += 1;
    if (statements >= killAt) process.kill(process.pid, "SIGKILL");
  };
  const counted: Database = {
    ...db,
    async transaction(work) {
      const result = await db.transaction((tx) => {
        const query: Queryable["query"] = (statement) => {
          step();
          return tx.query(statement);
        };
        return work({ query });
      });
      step();
      return result;
    },
  };
  const worker = new TriggerWorker({
    ...{
      db: counted,
      log: silentLog,
      blobs: await openDiskBlobs(blobsDir),
      limits: new OwnerLimits(db.read),
    },
    ...{ secrets: new SecretBox(secretKey), repositoryHosts: new Set(), gitHttpHosts: new Set() },
    ...{ hub: { publish: () => undefined }, models: { totalCost: () => 0 }, consoleUrl: null },
    fetch: createGuardedFetch({ allowPrivate: [], resolve: async () => [] }),
  });
  let stopped = false;
  process.once("message", () => {
    stopped = true;
  });
  process.send?.("ready");
  while (!stopped) if (!(await worker.step())) await pause(1);
  await db.close();
  // The fetch of hosts keeps a process alive.
  process.send?.(statements, undefined, {}, () => process.exit());
});
