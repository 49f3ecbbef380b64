import { leaveHosts, markSeen } from "@berth/runs/lease";
import type { Database } from "@berth/store/db";
import { beatMs, type Host } from "@berth/store/leases";
import type { Logger } from "pino";
import { type Sweeper, startSweeper } from "./sweeper.ts";

/** Lists a service without sessions as a host, so that others compare their settings and contents. */
export function startPresence(db: Database, host: Host, log: Logger): Sweeper {
  const beats = startSweeper({ presence: () => markSeen(db.write, host) }, log, beatMs(host.graceMs));
  return {
    swept: beats.swept,
    async close() {
      await beats.close();
      await leaveHosts(db, host).catch((error: unknown) =>
        log.warn({ err: error }, "this host could not be removed from the list of hosts"),
      );
    },
  };
}
