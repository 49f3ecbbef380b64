import type { InputEvent } from "@berth/contract";
import type { Owner } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { type OwnerLimits, overLimit } from "@berth/store/limits";
import { diskBytes, sandboxSecondsToday } from "./work-store.ts";

/**
 * Checks that the owner of a session may have more work done. Only messages begin some: a turn that runs goes on, with replies to its
 * calls, and an interrupt is always accepted.
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
