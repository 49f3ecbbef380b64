import { type LeaseSigns, monotonicMs } from "./lease-signs.ts";

/**
 * Calls `missed` when the database confirmed no renewal for a lease period, and again after each further one.
 * A process that was stopped notices the deadline late. It first gets the time of a renewal to find out
 * whether it still has its leases.
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
