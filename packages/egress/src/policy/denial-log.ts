const REPEAT_MS = 1000;
const MAX_HOSTS = 1000;

/** A connection, DNS query or request that was denied. */
export interface EgressDenied {
  host: string;
  port: number | null;
  reason:
    | "not_allowed"
    | "private_address"
    | "no_server_name"
    | "name_mismatch"
    | "unknown_protocol"
    | "unresolvable";
}

/**
 * Reports denials, each host at most once per interval however often a program tries. Also lists the denials
 * since a given moment, reported or not.
 */
export class DenialLog {
  readonly #report: (denied: EgressDenied) => void;
  readonly #hosts = new Map<string, { denied: EgressDenied; reportedAt: number; newest: number }>();
  readonly #repeatMs: number;
  #count = 0;

  /** @param repeatMs Milliseconds after which a host is reported again. Default: 1,000. */
  constructor(report: (denied: EgressDenied) => void, repeatMs = REPEAT_MS) {
    this.#report = report;
    this.#repeatMs = repeatMs;
  }

  add(denied: EgressDenied): void {
    const now = performance.now();
    const newest = ++this.#count;
    const before = this.#hosts.get(denied.host);
    if (before !== undefined && now - before.reportedAt < this.#repeatMs) {
      this.#hosts.set(denied.host, { ...before, newest });
      return;
    }
    if (this.#hosts.size >= MAX_HOSTS) this.#hosts.clear();
    this.#hosts.set(denied.host, { denied, reportedAt: now, newest });
    this.#report(denied);
  }

  /**
   * Starts watching. The returned function lists the denials since then, one per host. It needs no cleanup.
   */
  watch(): () => EgressDenied[] {
    const begun = this.#count;
    return () => {
      if (this.#count === begun) return [];
      return [...this.#hosts.values()].filter(({ newest }) => newest > begun).map(({ denied }) => denied);
    };
  }
}
