import { newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import type { BoundFilter } from "../protocol/bind-filter.ts";
import { createdAt, type FilterColumns, filterCondition, updatedAt } from "../protocol/filter-statements.ts";

export interface GroupRow {
  id: string;
  display_name: string;
  external_id: string | null;
  updated_at: Date;
}

export interface MemberRow {
  group_id: string;
  user_id: string;
  /** The user's display name, else the address. */
  display: string;
}

const UPDATED = updatedAt("g.id", "g.updated_at");
const COLUMNS = `g.id, g.display_name, g.external_id, ${UPDATED} as updated_at`;

const FILTER: FilterColumns = {
  columns: {
    id: "g.id",
    externalId: "g.external_id",
    displayName: "g.display_name",
    "meta.created": createdAt("g.id"),
    "meta.lastModified": UPDATED,
  },
  rows: {
    members: {
      from: `(select m.user_id, coalesce(s.display_name, u.email) as display from scim_group_members m
        join users u on u.id = m.user_id join scim_users s on s.user_id = m.user_id
        where m.group_id = g.id) as e`,
      columns: { value: "e.user_id", type: "'User'::text", display: "e.display", $ref: "e.user_id::text" },
    },
  },
};

/** Maximum number of members in a page of groups; one group is shown whole in any case. */
const MEMBERS_OF_PAGE = 20_000;

/**
 * Counts the organization's groups that meet a filter, and selects some of them in the order of their making,
 * fewer where they have many members.
 *
 * @param withMembers whether the response has members.
 */
export async function selectGroups(
  db: Queryable,
  organizationId: string,
  { filter, startIndex, count }: { filter: BoundFilter | null; startIndex: number; count: number },
  withMembers: boolean,
): Promise<{ total: number; rows: GroupRow[] }> {
  const values: unknown[] = [organizationId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const meets = filter === null ? "true" : filterCondition(filter, FILTER, parameter);
  const where = `g.organization_id = $1 and ${meets}`;
  const { rows: counted } = await db.query<{ total: number }>({
    text: `select count(*)::integer as total from scim_groups g where ${where}`,
    values: [...values],
  });
  const total = counted[0]?.total ?? 0;
  if (count === 0 || startIndex > total) return { total, rows: [] };
  const members = withMembers ? "(select count(*) from scim_group_members where group_id = g.id)" : "0";
  const { rows } = await db.query<GroupRow>({
    text: `select id, display_name, external_id, updated_at from (
        select page.*, sum(members) over (order by id) - members as before from (
          select ${COLUMNS}, ${members} as members from scim_groups g where ${where}
          order by g.id offset ${parameter(startIndex - 1)} limit ${parameter(count)}
        ) as page
      ) as summed where before < ${MEMBERS_OF_PAGE} order by id`,
    values,
  });
  return { total, rows };
}

/** Returns a group; null for one of another organization. */
export async function getGroup(db: Queryable, organizationId: string, id: string): Promise<GroupRow | null> {
  const { rows } = await db.query<GroupRow>({
    name: "scim_group",
    text: `select ${COLUMNS} from scim_groups g where g.organization_id = $1 and g.id = $2`,
    values: [organizationId, id],
  });
  return rows[0] ?? null;
}

export async function membersOf(db: Queryable, ids: readonly string[]): Promise<MemberRow[]> {
  const { rows } = await db.query<MemberRow>({
    name: "scim_members",
    text: `select m.group_id, m.user_id, coalesce(s.display_name, u.email) as display
      from scim_group_members m join users u on u.id = m.user_id join scim_users s on s.user_id = m.user_id
      where m.group_id = any($1::uuid[]) order by m.group_id, m.user_id`,
    values: [ids],
  });
  return rows;
}

/** Stores a group, a new one if `id` is null. Returns its uuid; null when another group has the name. */
export async function putGroup(
  tx: Queryable,
  organizationId: string,
  { id, display_name, external_id }: Pick<GroupRow, "display_name" | "external_id"> & { id: string | null },
): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>({
    name: "scim_put_group",
    text: `insert into scim_groups (id, organization_id, display_name, external_id)
      select $1, $2, $3, $4 where not exists (
        select from scim_groups where organization_id = $2 and lower(display_name collate "C") = lower($3::text collate "C") and id <> $1)
      on conflict (id) do update set display_name = excluded.display_name, external_id = excluded.external_id,
        updated_at = now()
      returning id`,
    values: [id ?? newUuid(), organizationId, display_name, external_id],
  });
  return rows[0]?.id ?? null;
}

export async function deleteGroup(tx: Queryable, id: string): Promise<void> {
  await tx.query({ name: "scim_delete_group", text: "delete from scim_groups where id = $1", values: [id] });
}

/** Returns those of the uuids that are not of users whom SCIM shows. */
export async function notShown(
  tx: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: "scim_not_shown",
    text: `select given.id from unnest($2::uuid[]) as given (id) where not exists (
      select from users u left join scim_users s on s.user_id = u.id
      where u.id = given.id and u.organization_id = $1 and s.deleted_at is null)`,
    values: [organizationId, ids],
  });
  return rows.map(({ id }) => id);
}

/** Adds users to a group. Returns those who were not in it. */
export async function addMembers(tx: Queryable, groupId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ user_id: string }>({
    name: "scim_add_members",
    text: `insert into scim_group_members (group_id, user_id) select $1, unnest($2::uuid[])
      on conflict do nothing returning user_id`,
    values: [groupId, ids],
  });
  return rows.map(({ user_id }) => user_id);
}

/** Removes users from a group. Returns those who were in it. @param only uuids; null for all. */
export async function removeMembers(
  tx: Queryable,
  groupId: string,
  { only = null, except = [] }: { only?: readonly string[] | null; except?: readonly string[] },
): Promise<string[]> {
  const { rows } = await tx.query<{ user_id: string }>({
    name: "scim_remove_members",
    text: `delete from scim_group_members where group_id = $1
        and ($2::uuid[] is null or user_id = any($2)) and user_id <> all($3::uuid[])
      returning user_id`,
    values: [groupId, only, except],
  });
  return rows.map(({ user_id }) => user_id);
}
