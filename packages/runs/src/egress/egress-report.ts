import type { EgressDenied } from "@berth/egress";
import type { Logger } from "pino";
import type { RunLog } from "../lease/run-log.ts";

/** The most reports per minute, since a hostile command could fill the log by trying many hosts. */
const MAX_PER_MINUTE = 100;
const MINUTE_MS = 60_000;

/**
 * Returns a function that appends denied connections to the session's log, up to a limit per minute. The
 * service's log says once that the limit was reached. A command chooses the host's name, so the name is
 * masked: it may be a secret.
 */
export function createEgressReport(
  runLog: Pick<RunLog, "append">,
  log: Pick<Logger, "debug" | "warn">,
  mask: (text: string) => string,
  now: () => number = () => performance.now(),
): (denied: EgressDenied) => void {
  let began = now();
  let denials = 0;
  return ({ host, port, reason }) => {
    if (now() - began >= MINUTE_MS) [began, denials] = [now(), 0];
    denials += 1;
    const name = mask(host);
    if (denials === MAX_PER_MINUTE + 1)
      log.warn({ host: name }, "too many denied connections to report each of them");
    if (denials > MAX_PER_MINUTE) return;
    runLog
      .append([{ event: { type: "session.egress_denied", host: name.slice(0, 255), port, reason } }])
      .catch((error: unknown) => log.debug({ err: error }, "a denied connection could not be reported"));
  };
}
