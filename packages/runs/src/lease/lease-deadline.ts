import { type LeaseSigns, monotonicMs } from "./lease-signs.ts";

/**
 * Calls `missed` when no renewal was confirmed that was asked for within a lease period, and again each lease period. A process
 * that was stopped finds out late: it first has the time of a renewal to ask whether its leases are still its own.
 */
export function watchLeaseDeadline(
  signs: LeaseSigns,
  leaseMs: number,
  missed: () => void,
): { close(): void } {
  let confirmedAt = signs.confirmedAt();
  let at = confirmedAt + leaseMs;
  const timer = setInterval(() => {
    if (signs.confirmedAt() !== confirmedAt) {
      confirmedAt = signs.confirmedAt();
      at = confirmedAt + leaseMs;
    }
    const late = monotonicMs() - at;
    if (late < 0) return;
    at += late > leaseMs / 3 ? late + leaseMs / 3 : leaseMs;
    if (late <= leaseMs / 3) missed();
  }, leaseMs / 15);
  return { close: () => clearInterval(timer) };
}
