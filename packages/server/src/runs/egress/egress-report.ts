import type { EgressDenied } from "@berth/egress";
import type { Logger } from "pino";
import type { RunLog } from "../lease/run-log.ts";

/** What a hostile command may add to the log in a minute by trying one host after another. */
const REPORTED_AT_MOST = 100;
const MINUTE = 60_000;

/** Writes refused connections into the session's log; of more than so many in a minute, the service's log tells once. */
export function createEgressReport(
  runLog: Pick<RunLog, "append">,
  log: Pick<Logger, "debug" | "warn">,
  now: () => number = () => performance.now(),
): (denied: EgressDenied) => void {
  let began = now();
  let told = 0;
  return ({ host, port, reason }) => {
    if (now() - began >= MINUTE) [began, told] = [now(), 0];
    told += 1;
    if (told === REPORTED_AT_MOST + 1) log.warn({ host }, "more connections are refused than are told");
    if (told > REPORTED_AT_MOST) return;
    runLog
      .append([{ event: { type: "session.egress_denied", host: host.slice(0, 255), port, reason } }])
      .catch((error: unknown) => log.debug({ err: error }, "a refused connection could not be told"));
  };
}
