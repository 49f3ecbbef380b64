import type { InputEvent } from "@berth/contract";
import type { Owner } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { type OwnerLimits, overLimit } from "@berth/store/limits";
import { diskBytes, sandboxSecondsToday } from "./work-store.ts";

/**
 * Checks that a session's owner may start more work. Only messages start work: a running turn continues, and
 * replies to its calls and interrupts are always accepted.
 *
 * @throws errors.overLimit for sandbox_seconds_per_day, with the time until the next day (UTC), or disk_bytes
 */
export async function requireWorkAllowed(
  db: Queryable,
  limits: OwnerLimits,
  owner: Owner,
  events: readonly InputEvent[],
): Promise<void> {
  if (!events.some(({ type }) => type === "user.message")) return;
  const { organization_id: organizationId, owner_type: kind, owner_id: id } = owner;
  for (const limit of await limits.of({ organizationId, kind, id }, "sandbox_seconds_per_day")) {
    const { seconds, secondsLeft } = await sandboxSecondsToday(db, limit);
    if (seconds >= limit.value) throw overLimit(limit, "sandbox_seconds_per_day", secondsLeft * 1_000);
  }
  for (const limit of await limits.of({ organizationId, kind, id }, "disk_bytes"))
    if ((await limits.recentUse(limit, "disk_bytes", () => diskBytes(db, limit))) >= limit.value)
      throw overLimit(limit, "disk_bytes");
}
