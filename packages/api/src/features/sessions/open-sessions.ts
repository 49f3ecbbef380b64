import type { Principal, ReferenceCheck } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { type Limit, lockLimit, type OwnerLimits, overLimit } from "@berth/store/limits";
import { countOpenSessions } from "./open-session-store.ts";

/**
 * Checks, in the transaction that creates a session, that there is room for one more. Empty where no limit is near. Of two creations at the
 * last place one succeeds.
 */
export async function openSessionsChecks(
  db: Queryable,
  limits: OwnerLimits,
  principal: Principal,
): Promise<Pick<ReferenceCheck, "lock">[]> {
  const { organizationId } = principal;
  // What a service account creates is the organization's.
  const owner =
    principal.kind === "user"
      ? principal
      : { organizationId, kind: "organization" as const, id: organizationId };
  const checks: Pick<ReferenceCheck, "lock">[] = [];
  for (const limit of await limits.of(owner, "open_sessions")) {
    const count = () => countOpenSessions(db, limit, limit.value);
    if (await limits.isFarFrom(limit, "open_sessions", 1, count)) continue;
    checks.push({ lock: (tx) => requireRoom(tx, limit) });
  }
  return checks;
}

async function requireRoom(tx: Queryable, limit: Limit): Promise<void> {
  await lockLimit(tx, limit.id, "open_sessions");
  if ((await countOpenSessions(tx, limit, limit.value)) >= limit.value)
    throw overLimit(limit, "open_sessions");
}
