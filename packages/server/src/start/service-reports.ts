import type { ServiceManager } from "@berth/linux";

/** Returns why the service runs no sessions, as in `/readyz`, or null when it does. */
type Fault = () => string | null;

/** Maximum milliseconds between status reports, with or without a watchdog. */
const MAX_INTERVAL_MS = 10_000;

const STATUS: Readonly<Record<string, string>> = {
  starting: "The process that runs sessions is starting.",
  frozen: "The process that runs sessions is frozen.",
  heartbeat: "The process that runs sessions cannot reach the database.",
  sandbox: "No sandbox can be opened; the log says why.",
};

/**
 * Reports to the service manager when the service is ready, its status, and when it stops. While the process
 * that runs sessions is frozen, the watchdog gets no report, as when this process is frozen. Other faults
 * appear only in the status, since a restart would not fix them.
 */
export class ServiceReports {
  readonly #manager: ServiceManager | null;
  #timer: NodeJS.Timeout | undefined;
  #status = "";

  constructor(manager: ServiceManager | null) {
    this.#manager = manager;
  }

  ready(url: string, fault: Fault): void {
    if (this.#manager === null) return;
    this.#manager.tell("READY=1");
    const report = () => this.#report(`Listening on ${url}.`, fault());
    report();
    // Four reports per watchdog interval, so that one may be late.
    const interval = Math.min(MAX_INTERVAL_MS, (this.#manager.watchdogMs ?? Number.POSITIVE_INFINITY) / 4);
    this.#timer = setInterval(report, interval).unref();
  }

  stopping(): void {
    this.#manager?.tell(
      "STOPPING=1",
      "STATUS=Waiting for running turns to reach a point where they can resume.",
    );
    this.#status = "";
  }

  close(): void {
    clearInterval(this.#timer);
    this.#manager?.close();
  }

  #report(healthy: string, fault: string | null): void {
    const status = fault === null ? healthy : (STATUS[fault] ?? healthy);
    const isWatched = this.#manager?.watchdogMs !== null && fault !== "frozen";
    const assignments = [
      ...(isWatched ? ["WATCHDOG=1"] : []),
      ...(status !== this.#status && fault !== "draining" ? [`STATUS=${status}`] : []),
    ];
    this.#status = status;
    if (assignments.length > 0) this.#manager?.tell(...assignments);
  }
}
