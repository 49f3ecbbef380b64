import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { renewLeases } from "./claim-runs.ts";
import { type LeaseSigns, monotonicMs } from "./lease-signs.ts";

export interface RenewalOptions {
  db: Queryable;
  owner: string;
  leaseMs: number;
  signs: LeaseSigns;
  /** Called with the leases that another worker has, or nobody. */
  onLost(leases: readonly Lease[]): void;
  onFailure(error: unknown): void;
}

/** Renews a worker's leases three times per lease period, in one statement. */
export class LeaseRenewals {
  readonly #options: RenewalOptions;
  readonly #held = new Map<string, Lease>();
  readonly #timer: NodeJS.Timeout;
  #isBeating = false;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#beat(), options.leaseMs / 3);
  }

  hold(lease: Lease): void {
    this.#held.set(lease.sessionId, lease);
  }

  /** Stops renewing the lease. A later lease of the session is kept. */
  drop({ sessionId, epoch }: Pick<Lease, "sessionId" | "epoch">): void {
    if (this.#held.get(sessionId)?.epoch === epoch) this.#held.delete(sessionId);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      await this.#renew();
    } catch (error) {
      this.#options.onFailure(error);
    } finally {
      this.#isBeating = false;
    }
  }

  /** Renews the leases. They are valid from the time of the request, since the response may come late. */
  async #renew(): Promise<void> {
    const { db, owner, leaseMs, signs, onLost } = this.#options;
    const leases = [...this.#held.values()];
    const askedAt = monotonicMs();
    const renewed = leases.length === 0 ? new Set() : await renewLeases(db, owner, leaseMs, leases);
    signs.confirm(askedAt);
    const lost = leases.filter(({ sessionId }) => !renewed.has(sessionId));
    for (const lease of lost) this.drop(lease);
    if (lost.length > 0) onLost(lost);
  }
}
