import type { DatabaseAccess } from "../db/database-access.ts";
import type { Queryable } from "../db/statement.ts";
import { lockLimit } from "../limits/limit-store.ts";
import type { Limit, OwnerLimits } from "../limits/owner-limits.ts";
import { HELD, type Lease, leaseValues } from "./lease.ts";

/** The owner of a session. Both are uuids; a session of the organization has its uuid as `ownerId`. */
export interface TurnOwner {
  organizationId: string;
  ownerId: string;
}

/** Owners that have reached their limit of turns. Uuids. */
export interface FullOwners {
  organizations: readonly string[];
  owners: readonly string[];
}

export const NONE_FULL: FullOwners = { organizations: [], owners: [] };

/**
 * Returns SQL for whether a due session need not wait for its owner's turns. That is so when neither owner
 * has reached its limit. It is also so when no turn follows, because the session has ended or was
 * interrupted.
 * @param organizations Parameter with `FullOwners.organizations`.
 * @param owners Parameter with `FullOwners.owners`.
 */
export function mayHaveTurn(organizations: string, owners: string): string {
  return `(
    (sessions.organization_id <> all(${organizations}::uuid[]) and sessions.owner_id <> all(${owners}::uuid[]))
    or archived_at is not null or terminated_at is not null
    or exists (
      select from events where session_id = sessions.id and processed_at is null and events.type = 'user.interrupt'
    )
  )`;
}

/** The right to run one turn. It ends with its lease, or when it is released. */
export interface TurnPermit {
  release(): Promise<void>;
}

const UNLIMITED: TurnPermit = { release: async () => undefined };

/**
 * Limits how many turns an organization or a user has at once, over all hosts. A permit belongs to a lease
 * and ends with it, so a process that dies leaves none. Owners without a limit cost nothing.
 */
export class TurnPermits {
  readonly #db: DatabaseAccess;
  readonly #limits: OwnerLimits;
  readonly #waiting = new Set<() => void>();

  constructor(db: DatabaseAccess, limits: OwnerLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Returns whether the owner has a limit of turns. */
  async areLimited(owner: TurnOwner): Promise<boolean> {
    return (await this.#limits.of(limited(owner), "running_turns")).length > 0;
  }

  /**
   * Takes a permit for one turn. Returns null while the owner has reached its limit, or when the lease is
   * lost.
   */
  async take(lease: Lease, owner: TurnOwner): Promise<TurnPermit | null> {
    const limits = await this.#limits.of(limited(owner), "running_turns");
    if (limits.length === 0) return UNLIMITED;
    const isGiven = await this.#db.transaction(async (tx) => {
      for (const limit of limits) {
        await lockLimit(tx, limit.id, "running_turns");
        if ((await countPermits(tx, limit, lease.sessionId)) >= limit.value) return false;
      }
      return await storePermit(tx, lease, owner);
    });
    return isGiven ? { release: () => this.#release(lease) } : null;
  }

  /** Calls `look` whenever this process releases a permit, until the returned function is called. */
  whenReleased(look: () => void): () => void {
    this.#waiting.add(look);
    return () => this.#waiting.delete(look);
  }

  /** Returns the owners that have reached their limit, whose sessions need not be claimed. */
  async full(): Promise<FullOwners> {
    if (!(await this.#limits.areAny("running_turns"))) return NONE_FULL;
    const organizations = new Map<string, number>();
    const owners = new Map<string, number>();
    const full = { organizations: new Set<string>(), owners: new Set<string>() };
    for (const { organizationId, ownerId, permits } of await permitsByOwner(this.#db.write)) {
      add(organizations, organizationId, permits);
      add(owners, ownerId, permits);
      for (const limit of await this.#limits.of(limited({ organizationId, ownerId }), "running_turns")) {
        const isOrganization = limit.kind === "organization";
        const given = (isOrganization ? organizations : owners).get(limit.id) ?? 0;
        if (given >= limit.value) (isOrganization ? full.organizations : full.owners).add(limit.id);
      }
    }
    return { organizations: [...full.organizations], owners: [...full.owners] };
  }

  async #release(lease: Lease): Promise<void> {
    await removePermit(this.#db.write, lease);
    for (const look of [...this.#waiting]) look();
  }
}

function limited({ organizationId, ownerId }: TurnOwner) {
  const kind = ownerId === organizationId ? ("organization" as const) : ("user" as const);
  return { organizationId, kind, id: ownerId };
}

function add(counts: Map<string, number>, id: string, count: number): void {
  counts.set(id, (counts.get(id) ?? 0) + count);
}

const IS_VALID = `exists (
    select from sessions where sessions.id = session_id and sessions.lease_owner = turn_permits.lease_owner
      and sessions.lease_epoch = turn_permits.lease_epoch and lease_until > now()
  )`;

/** Counts the permits of the limit's subject, without the session's own. */
async function countPermits(tx: Queryable, { kind, id }: Limit, sessionId: string): Promise<number> {
  const column = kind === "organization" ? "organization_id" : "owner_id";
  const { rows } = await tx.query<{ count: number }>({
    name: `count_turn_permits_of_${kind}`,
    text: `select count(*)::integer as count from turn_permits
      where ${column} = $1 and session_id <> $2 and ${IS_VALID}`,
    values: [id, sessionId],
  });
  return rows[0]?.count ?? 0;
}

/** Stores a permit. Returns false when the lease is lost. */
export async function storePermit(tx: Queryable, lease: Lease, owner: TurnOwner): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "store_turn_permit",
    text: `insert into turn_permits (session_id, lease_owner, lease_epoch, organization_id, owner_id)
      select sessions.id, $2, $3, $4, $5 from sessions where ${HELD}
      on conflict (session_id) do update set lease_owner = excluded.lease_owner, lease_epoch = excluded.lease_epoch`,
    values: [...leaseValues(lease), owner.organizationId, owner.ownerId],
  });
  return rowCount === 1;
}

/** Removes a lease's permit, if it has one. */
export async function removePermit(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "remove_turn_permit",
    text: "delete from turn_permits where session_id = $1 and lease_owner = $2 and lease_epoch = $3",
    values: leaseValues(lease),
  });
}

async function permitsByOwner(db: Queryable): Promise<(TurnOwner & { permits: number })[]> {
  const { rows } = await db.query<TurnOwner & { permits: number }>({
    name: "turn_permits_by_owner",
    text: `select organization_id as "organizationId", owner_id as "ownerId", count(*)::integer as permits
      from turn_permits where ${IS_VALID} group by organization_id, owner_id`,
  });
  return rows;
}
