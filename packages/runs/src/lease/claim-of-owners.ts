import type { Share } from "@berth/concurrency";
import type { Queryable } from "@berth/store/db";
import {
  type ClaimedRow,
  type FullOwners,
  IS_DUE,
  type Lease,
  leaseOf,
  mayHaveTurn,
} from "@berth/store/leases";
import { type Claimant, IS_CLAIMABLE } from "./claim-runs.ts";

export interface SharedLease {
  lease: Lease;
  share: Share;
}

interface Claimed {
  leases: SharedLease[];
  /** Whether other transactions held locks on claimable sessions at each try. */
  isContended: boolean;
}

interface Bounds {
  limit: number;
  spare: number;
  full: FullOwners;
}

/**
 * How many of an owner's sessions other transactions may have locked before a claim misses the next one. Each
 * further try multiplies it by four.
 */
const SPARE = 16;
const MAX_TRIES = 3;

/**
 * Claims as `claimRuns` does, in turns. It claims one session of each organization, in the order in which
 * they first appear among the owners. Then it claims the second of each, and so on. Within an organization it
 * does the same with owners.
 *
 * Sessions that other processes are claiming are skipped for the next ones, so that no free slot stays free.
 */
export async function claimOfOwners(
  db: Queryable,
  claimant: Claimant,
  owners: readonly Share[],
  { limit, full }: Omit<Bounds, "spare">,
): Promise<Claimed> {
  const leases: SharedLease[] = [];
  if (owners.length === 0) return { leases, isContended: false };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const bounds = { limit: limit - leases.length, spare: SPARE * 4 ** tries, full };
    const { candidates, claimed } = await claimOnce(db, claimant, owners, bounds);
    leases.push(...claimed);
    if (claimed.length >= Math.min(bounds.limit, candidates)) return { leases, isContended: false };
  }
  return { leases, isContended: true };
}

type Row = ClaimedRow & { owner_id: string };

async function claimOnce(
  db: Queryable,
  { owner, leaseMs, host }: Claimant,
  owners: readonly Share[],
  { limit, spare, full }: Bounds,
): Promise<{ candidates: number; claimed: SharedLease[] }> {
  const places = new Map<string, number>();
  for (const { group } of owners) if (!places.has(group)) places.set(group, places.size);
  const { rows } = await db.query<{ candidates: number } & (Row | { id: null })>({
    name: "claim_of_owners",
    text: CLAIM,
    values: [
      ...[owner, leaseMs, limit, host.place, host.graceMs, host.id],
      owners.map(({ group }) => group),
      owners.map(({ member }) => member),
      ...[full.organizations, full.owners],
      owners.map(({ group }) => places.get(group)),
      spare,
    ],
  });
  const claimed = rows.flatMap((row) =>
    row.id === null
      ? []
      : [{ lease: leaseOf(row, owner), share: { group: row.organization_id, member: row.owner_id } }],
  );
  return { candidates: rows[0]?.candidates ?? 0, claimed };
}

const CLAIM = `
  with wanted as materialized (
    select * from unnest($7::uuid[], $8::uuid[], $11::integer[]) with ordinality
      as one (organization_id, owner_id, organization_place, owner_place)
  ), found as (
    select due.id, organization_place, owner_place, row_number() over (partition by owner_place order by due.pending_at) as round
    from wanted, lateral (
      select id, pending_at from sessions
      where sessions.organization_id = wanted.organization_id and sessions.owner_id = wanted.owner_id
        and ${IS_DUE} and ${IS_CLAIMABLE} and ${mayHaveTurn("$9", "$10")}
      order by sessions.organization_id, sessions.owner_id, pending_at limit $3 + $12::bigint
    ) as due
  ), candidates as (
    select id, organization_place, row_number() over (partition by organization_place order by round, owner_place) as turn
    from found
  ), chosen as (
    select sessions.id from candidates join sessions on sessions.id = candidates.id
    where ${IS_DUE}
    order by turn, organization_place limit $3
    for update of sessions skip locked
  ), claimed as (
    update sessions set
      lease_owner = $1,
      lease_until = now() + $2 * interval '1 millisecond',
      lease_epoch = lease_epoch + 1
    where id in (select id from chosen)
    returning id, lease_epoch, organization_id, owner_id
  )
  select count.candidates, claimed.*
  from (select count(*)::integer as candidates from candidates) as count left join claimed on true`;
