import { formatId, type Limits, moneyOf } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { readLimits, removeLimit, storeLimit } from "@berth/store/limits";
import { countedLimit, type DefaultLimits, LIMIT_NAMES, type LimitName } from "@berth/store/names";
import { fileBytes } from "../features/files/file-bytes-store.ts";
import { resumeSessionsOf, spentBy } from "../features/sessions/budgets/spend-store.ts";
import { diskBytes, runningTurns, sandboxSecondsToday } from "../features/sessions/events/work-store.ts";
import { countOpenSessions } from "../features/sessions/open-session-store.ts";
import { heldOrganizationId, organizationId } from "./organization-store.ts";
import { heldUser, userId } from "./user-store.ts";

/** Id of an organization, or of a user. */
export interface LimitedOwner {
  organization?: string | undefined;
  user?: string | undefined;
}

interface Found {
  kind: "organization" | "user";
  id: string;
  organizationId: string;
}

export async function listLimits(
  db: Queryable,
  owner: LimitedOwner,
  { limits: settings }: { limits: DefaultLimits },
): Promise<Limits> {
  const found = await findOwner(db, owner, { organizationId, userId });
  const own = (await readLimits(db)).get(found.id) ?? {};
  const used: Partial<Record<LimitName, number>> = {
    open_sessions: await countOpenSessions(db, found),
    file_bytes: await fileBytes(db, found),
    running_turns: await runningTurns(db, found),
    sandbox_seconds_per_day: Math.round((await sandboxSecondsToday(db, found)).seconds),
    disk_bytes: await diskBytes(db, found),
    spend_cents: await spentCents(db, found, false),
    spend_cents_per_day: await spentCents(db, found, true),
  };
  const data = LIMIT_NAMES.map((name) => ({
    name,
    ...countedLimit(name, own, settings[found.kind]),
    used: used[name] ?? null,
  }));
  return { id: formatId(found.kind, found.id), type: "limits", data };
}

/**
 * Changes limits of an organization or a user. Sessions that a spend limit has stopped continue.
 *
 * @param values null means no limit, whatever the settings say; undefined restores the value of the settings.
 * @returns ids of the organization and of the owner, in the form of the API.
 */
export async function changeLimits(
  tx: Queryable,
  owner: LimitedOwner,
  values: ReadonlyMap<LimitName, number | null | undefined>,
): Promise<{ organization: string; owner: string }> {
  const found = await findOwner(tx, owner, { organizationId: heldOrganizationId, userId: heldUser });
  for (const [name, value] of values) {
    if (value === undefined) await removeLimit(tx, found.id, name);
    else await storeLimit(tx, found, name, value);
  }
  if (values.has("spend_cents") || values.has("spend_cents_per_day")) await resumeSessionsOf(tx, found);
  return {
    organization: formatId("organization", found.organizationId),
    owner: formatId(found.kind, found.id),
  };
}

/** Returns cents, rounded up. */
async function spentCents(db: Queryable, owner: Found, isDaily: boolean): Promise<number> {
  return Number(moneyOf(await spentBy(db, owner, isDaily)).amount);
}

async function findOwner(
  db: Queryable,
  { organization = "", user }: LimitedOwner,
  find: { organizationId: typeof organizationId; userId: typeof userId },
): Promise<Found> {
  if (user === undefined) {
    const id = await find.organizationId(db, organization);
    return { kind: "organization", id, organizationId: id };
  }
  const found = await find.userId(db, user);
  return { kind: "user", id: found.id, organizationId: found.organization_id };
}
