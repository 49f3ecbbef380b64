import type { Logger } from "pino";
import type { Queryable } from "../db/statement.ts";
import { beatMs, type Host } from "../runs/lease/host.ts";
import { markSeen } from "../runs/lease/host-store.ts";
import { type Sweeper, startSweeper } from "./sweeper.ts";

/** Says that a service is there that runs no sessions, so that others compare their settings and contents with its. */
export function startPresence(db: Queryable, host: Host, log: Logger): Sweeper {
  return startSweeper({ presence: () => markSeen(db, host) }, log, beatMs(host.graceMs));
}
