import type { Principal, ReferenceCheck } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { type Limit, lockLimit, type OwnerLimits, overLimit } from "@berth/store/limits";
import { countOpenSessions } from "./open-session-store.ts";

/**
 * Returns the checks for the transaction that creates a session: that the owner may open one more. Empty when
 * no limit is near. Of two concurrent creations at the limit, one succeeds.
 */
export async function openSessionsChecks(
  db: Queryable,
  limits: OwnerLimits,
  principal: Principal,
): Promise<Pick<ReferenceCheck, "lock">[]> {
  const { organizationId } = principal;
  // Sessions that a service account creates belong to the organization.
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
