import type { Queryable } from "@berth/store/db";
import { IS_DUE } from "@berth/store/leases";
import type { OwnerRange, RangedOwner } from "./owner-turns.ts";

/** Returns the organizations with due sessions. Each costs one index lookup, however many sessions it has. */
export async function dueOrganizations(db: Queryable): Promise<string[]> {
  const next = (after: string) => `(
    select organization_id from sessions where organization_id > ${after} and ${IS_DUE}
    order by organization_id, owner_id limit 1
  )`;
  const { rows } = await db.query<{ organization_id: string }>({
    name: "due_organizations",
    text: `
      with recursive organizations (organization_id) as (
        select organization_id from ${next("'00000000-0000-0000-0000-000000000000'::uuid")} as first
        union all
        select next.organization_id from organizations, lateral ${next("organizations.organization_id")} as next
      )
      select organization_id from organizations`,
  });
  return rows.map((row) => row.organization_id);
}

/** Returns up to `page` owners with due sessions per range, in order. Each costs one index lookup. */
export async function dueOwners(
  db: Queryable,
  ranges: readonly OwnerRange[],
  page: number,
): Promise<RangedOwner[]> {
  const next = (group: string, after: string, until: string) => `(
    select owner_id from sessions
    where (organization_id, owner_id) > (${group}, ${after}) and (organization_id, owner_id) <= (${group}, ${until})
      and ${IS_DUE}
    order by organization_id, owner_id limit 1
  )`;
  const { rows } = await db.query<{ group: string; member: string; range: number }>({
    name: "due_owners",
    text: `
      with recursive ranges as (
        select * from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality
          as one (organization_id, after, until, range)
      ), owners (organization_id, owner_id, until, range, place) as (
        select organization_id, first.owner_id, until, range, 1
        from ranges, lateral ${next("ranges.organization_id", "after", "until")} as first
        union all
        select organization_id, next.owner_id, until, range, place + 1
        from owners, lateral ${next("owners.organization_id", "owners.owner_id", "until")} as next
        where place < $4
      )
      select organization_id as "group", owner_id as member, (range - 1)::integer as range
      from owners order by range, place`,
    values: [
      ranges.map(({ group }) => group),
      ranges.map(({ after }) => after),
      ranges.map(({ until }) => until),
      page,
    ],
  });
  return rows;
}
