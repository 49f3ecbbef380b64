import type { EgressDenied } from "@berth/sandbox";
import type { Logger } from "pino";
import type { RunLog } from "../run-log.ts";

/** What a hostile command may add to the log by trying one host after another. */
const REPORTED_AT_MOST = 100;

/** Writes refused connections into the session's log, each host, port and reason once, and not without end. */
export function createEgressReport(runLog: RunLog, log: Logger): (denied: EgressDenied) => void {
  const reported = new Set<string>();
  return ({ host, port, reason }) => {
    const key = `${host} ${port} ${reason}`;
    if (reported.has(key) || reported.size >= REPORTED_AT_MOST) return;
    reported.add(key);
    runLog
      .append([{ event: { type: "session.egress_denied", host: host.slice(0, 255), port, reason } }])
      .catch((error: unknown) => log.debug({ err: error }, "a refused connection could not be told"));
  };
}
