import { LeastRecent, type Share } from "@berth/concurrency";
import type { Queryable } from "../../db/statement.ts";
import { type Claimant, type ClaimedRow, IS_CLAIMABLE, leaseOf } from "./claim-runs.ts";
import type { Lease } from "./lease.ts";
import { type FullOwners, mayHaveTurn, NONE_FULL } from "./turn-permits.ts";

/** Whose a session is: turns are shared among organizations (groups), then among the users of one (members). Uuids. */
type Owner = Share;

export interface SharedLease {
  lease: Lease;
  share: Owner;
}

/** How many owners one statement looks at. */
const PAGE = 64;
const NONE = "00000000-0000-0000-0000-000000000000";

/**
 * Claims due sessions while there are more of them than slots: of the organization that was served least recently, and in it of the
 * user. One with a thousand due sessions so delays another's turn by one. What was served is known to this process alone.
 */
export class SharedClaims {
  readonly #served = new LeastRecent();

  /**
   * Leases up to `limit` sessions. Fewer: no more can be claimed now.
   *
   * @param without owners that get none.
   * @param full owners that may have no further turn.
   */
  async claim(
    db: Queryable,
    claimant: Claimant,
    limit: number,
    { without = [], full = NONE_FULL }: { without?: readonly Owner[]; full?: FullOwners } = {},
  ): Promise<SharedLease[]> {
    const claimed: SharedLease[] = [];
    const excluded = new Set(without.map(nameOf));
    let after: Owner = { group: NONE, member: NONE };
    while (claimed.length < limit) {
      const owners = await dueOwners(db, after);
      const wanted = this.#inOrder(owners.filter((owner) => !excluded.has(nameOf(owner))));
      if (wanted.length > 0)
        for (const one of await claimOf(db, claimant, wanted, { limit: limit - claimed.length, full })) {
          this.#note(one.share);
          claimed.push(one);
        }
      const last = owners.at(-1);
      if (owners.length < PAGE || last === undefined) break;
      after = last;
    }
    return claimed;
  }

  /** One of each organization, then the second of each, and so on; the least recently served first. */
  #inOrder(owners: readonly Owner[]): Owner[] {
    const byTurn = owners.toSorted(
      (one, other) => this.#served.last(nameOf(one)) - this.#served.last(nameOf(other)),
    );
    const places = new Map<string, number>();
    return byTurn
      .map((owner) => {
        const place = places.get(owner.group) ?? 0;
        places.set(owner.group, place + 1);
        return { owner, place };
      })
      .toSorted(
        (one, other) =>
          one.place - other.place ||
          this.#served.last(one.owner.group) - this.#served.last(other.owner.group),
      )
      .map(({ owner }) => owner);
  }

  #note(owner: Owner): void {
    this.#served.served(owner.group);
    this.#served.served(nameOf(owner));
  }
}

function nameOf({ group, member }: Owner): string {
  return `${group} ${member}`;
}

const IS_DUE = "pending_at is not null and lease_owner is null";

/** The next owners that have due sessions, by their uuids: each costs one look at an index, however many sessions it has. */
async function dueOwners(db: Queryable, after: Owner): Promise<Owner[]> {
  const next = (group: string, member: string) => `(
    select organization_id, owner_id from sessions
    where (organization_id, owner_id) > (${group}, ${member}) and ${IS_DUE}
    order by organization_id, owner_id limit 1
  )`;
  const { rows } = await db.query<{ organization_id: string; owner_id: string }>({
    name: "due_owners",
    text: `
      with recursive owners (organization_id, owner_id, place) as (
        select organization_id, owner_id, 1 from ${next("$1::uuid", "$2::uuid")} as first
        union all
        select next.organization_id, next.owner_id, place + 1
        from owners, lateral ${next("owners.organization_id", "owners.owner_id")} as next
        where place < $3
      )
      select organization_id, owner_id from owners order by place`,
    values: [after.group, after.member, PAGE],
  });
  return rows.map((row) => ({ group: row.organization_id, member: row.owner_id }));
}

/** Claims as `claimRuns` does: one session of each owner in this order, then the second of each, and so on. */
async function claimOf(
  db: Queryable,
  { owner, leaseMs, host }: Claimant,
  owners: readonly Owner[],
  { limit, full }: { limit: number; full: FullOwners },
): Promise<SharedLease[]> {
  const { rows } = await db.query<ClaimedRow & { owner_id: string }>({
    name: "claim_of_owners",
    text: `
      with wanted as materialized (
        select * from unnest($7::uuid[], $8::uuid[]) with ordinality as one (organization_id, owner_id, place)
      ), due as (
        select found.id, place, row_number() over (partition by place order by found.pending_at) as round
        from wanted, lateral (
          select id, pending_at from sessions
          where sessions.organization_id = wanted.organization_id and sessions.owner_id = wanted.owner_id
            and ${IS_DUE} and ${IS_CLAIMABLE} and ${mayHaveTurn("$9", "$10")}
          order by sessions.organization_id, sessions.owner_id, pending_at limit $3
        ) as found
      ), chosen as (
        select id from sessions
        where id in (select id from due order by round, place limit $3) and ${IS_DUE}
        for update skip locked
      )
      update sessions set
        lease_owner = $1,
        lease_until = now() + $2 * interval '1 millisecond',
        lease_epoch = lease_epoch + 1
      where id in (select id from chosen)
      returning id, lease_epoch, organization_id, owner_id`,
    values: [
      owner,
      leaseMs,
      limit,
      host.place,
      host.graceMs,
      host.id,
      owners.map(({ group }) => group),
      owners.map(({ member }) => member),
      ...[full.organizations, full.owners],
    ],
  });
  return rows.map((row) => ({
    lease: leaseOf(row, owner),
    share: { group: row.organization_id, member: row.owner_id },
  }));
}
