import { newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import type { BoundFilter } from "../protocol/bind-filter.ts";
import { createdAt, type FilterColumns, filterCondition, updatedAt } from "../protocol/filter-statements.ts";

/** An address of a user, as the identity provider gave it. */
export interface Email {
  value?: string;
  type?: string;
  display?: string;
  primary?: boolean;
}

/** A user with what the identity provider says; `is_provisioned` is false while it has said nothing. */
export interface UserRow {
  id: string;
  email: string;
  disabled: boolean;
  is_provisioned: boolean;
  user_name: string;
  external_id: string | null;
  display_name: string | null;
  name: Record<string, string> | null;
  /** Empty while the identity provider has given none. */
  emails: Email[];
  /** What the identity provider said last; an administrator may have decided otherwise. */
  active: boolean;
  updated_at: Date;
}

const EMAILS = `case when coalesce(s.emails, '[]') = '[]'
  then jsonb_build_array(jsonb_build_object('value', u.email, 'type', 'work', 'primary', true)) else s.emails end`;
const USER_NAME = "coalesce(s.user_name, u.email)";
const UPDATED = updatedAt("u.id", "u.updated_at", "s.updated_at");

const COLUMNS = `u.id, u.email, u.disabled_at is not null as disabled, s.user_id is not null as is_provisioned,
  ${USER_NAME} as user_name, s.external_id, s.display_name, s.name,
  coalesce(s.emails, '[]') as emails,
  coalesce(s.active, true) as active, ${UPDATED} as updated_at`;

const FROM = "users u left join scim_users s on s.user_id = u.id";
const VISIBLE = "u.organization_id = $1 and s.deleted_at is null";

const FILTER: FilterColumns = {
  columns: {
    id: "u.id",
    externalId: "s.external_id",
    userName: USER_NAME,
    displayName: "s.display_name",
    active: "(u.disabled_at is null)",
    "meta.created": createdAt("u.id"),
    "meta.lastModified": UPDATED,
    ...Object.fromEntries(
      ["formatted", "familyName", "givenName", "middleName", "honorificPrefix", "honorificSuffix"].map(
        (part) => [`name.${part}`, `(s.name ->> '${part}')`],
      ),
    ),
  },
  rows: {
    emails: {
      from: `jsonb_to_recordset(${EMAILS}) as e (value text, display text, type text, "primary" boolean)`,
      columns: { value: "e.value", display: "e.display", type: "e.type", primary: `e."primary"` },
    },
    groups: {
      from: `(select m.group_id, g.display_name from scim_group_members m join scim_groups g on g.id = m.group_id
        where m.user_id = u.id) as e`,
      columns: { value: "e.group_id", display: "e.display_name", $ref: "e.group_id::text" },
    },
  },
  equal: {
    userName: (value) => `u.id in (
      select user_id from scim_users where organization_id = $1 and lower(user_name collate "C") = lower(${value}::text collate "C")
      union all select id from users where lower(email collate "C") = lower(${value}::text collate "C") and organization_id = $1
        and not exists (select from scim_users where user_id = users.id))`,
    externalId: (value) =>
      `u.id in (select user_id from scim_users where organization_id = $1 and external_id = ${value})`,
  },
};

/** Counts the organization's users that meet a filter, and selects some of them in the order of their making. */
export async function selectUsers(
  db: Queryable,
  organizationId: string,
  { filter, startIndex, count }: { filter: BoundFilter | null; startIndex: number; count: number },
): Promise<{ total: number; rows: UserRow[] }> {
  const values: unknown[] = [organizationId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const meets = filter === null ? "true" : filterCondition(filter, FILTER, parameter);
  const { rows: counted } = await db.query<{ total: number }>({
    text: `select count(*)::integer as total from ${FROM} where ${VISIBLE} and ${meets}`,
    values: [...values],
  });
  const total = counted[0]?.total ?? 0;
  if (count === 0 || startIndex > total) return { total, rows: [] };
  const { rows } = await db.query<UserRow>({
    text: `select ${COLUMNS} from ${FROM} where ${VISIBLE} and ${meets}
      order by u.id offset ${parameter(startIndex - 1)} limit ${parameter(count)}`,
    values,
  });
  return { total, rows };
}

/** Returns a user whom SCIM shows; null for one of another organization, or one that SCIM deleted. */
export async function getUser(db: Queryable, organizationId: string, id: string): Promise<UserRow | null> {
  const { rows } = await db.query<UserRow>({
    name: "scim_user",
    text: `select ${COLUMNS} from ${FROM} where ${VISIBLE} and u.id = $2`,
    values: [organizationId, id],
  });
  return rows[0] ?? null;
}

/** The names that a user of SCIM takes. */
export interface TakenNames {
  /** User with the address, in any organization. */
  email: { id: string; organization_id: string; deleted: boolean } | null;
  /** User of the organization with the user name whom SCIM shows. */
  userName: string | null;
  /** User of the organization with the user name whom SCIM deleted. */
  deletedUserName: string | null;
}

/** Finds who has an address or a user name, apart from `except`. Case does not matter. */
export async function findTaken(
  tx: Queryable,
  { organizationId, email, userName }: { organizationId: string; email: string; userName: string },
  except: string | null,
): Promise<TakenNames> {
  const { rows: holders } = await tx.query<NonNullable<TakenNames["email"]>>({
    name: "scim_email_holder",
    text: `select u.id, u.organization_id, s.deleted_at is not null as deleted from ${FROM}
      where lower(u.email collate "C") = lower($1::text collate "C") and ($2::uuid is null or u.id <> $2)
      order by u.organization_id <> $3, u.email <> $1 limit 1`,
    values: [email, except, organizationId],
  });
  const { rows: named } = await tx.query<{ id: string; deleted: boolean }>({
    name: "scim_user_name_holders",
    text: `select u.id, s.deleted_at is not null as deleted from ${FROM}
      where u.organization_id = $1 and ${FILTER.equal?.userName?.("$2")} and ($3::uuid is null or u.id <> $3)`,
    values: [organizationId, userName, except],
  });
  return {
    email: holders[0] ?? null,
    userName: named.find(({ deleted }) => !deleted)?.id ?? null,
    deletedUserName: named.find(({ deleted }) => deleted)?.id ?? null,
  };
}

export async function insertUser(tx: Queryable, organizationId: string, email: string): Promise<string> {
  const id = newUuid();
  await tx.query({
    name: "scim_insert_user",
    text: "insert into users (id, organization_id, email, role) values ($1, $2, $3, 'member')",
    values: [id, organizationId, email],
  });
  return id;
}

/** Sets a user's address and whether the user is disabled; null leaves that as it is. */
export async function setUser(
  tx: Queryable,
  { id, email, disabled }: { id: string; email: string; disabled: boolean | null },
): Promise<void> {
  await tx.query({
    name: "scim_set_user",
    text: `update users set email = $2, updated_at = now(),
        disabled_at = case when $3::boolean is null then disabled_at when $3 then coalesce(disabled_at, now()) end
      where id = $1`,
    values: [id, email, disabled],
  });
}

/** Stores what the identity provider says of a user, who is visible from then on. */
export async function putScimUser(
  tx: Queryable,
  organizationId: string,
  row: Pick<UserRow, "id" | "user_name" | "external_id" | "display_name" | "name" | "emails" | "active">,
): Promise<void> {
  await tx.query({
    name: "scim_put_user",
    text: `insert into scim_users (user_id, organization_id, user_name, external_id, display_name, name, emails, active)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (user_id) do update set user_name = excluded.user_name, external_id = excluded.external_id,
        display_name = excluded.display_name, name = excluded.name, emails = excluded.emails,
        active = excluded.active, deleted_at = null, updated_at = now()`,
    values: [
      row.id,
      organizationId,
      row.user_name,
      row.external_id,
      row.display_name,
      row.name === null ? null : JSON.stringify(row.name),
      JSON.stringify(row.emails),
      row.active,
    ],
  });
}

/** Hides a user from SCIM, and takes them out of all groups. */
export async function hideScimUser(tx: Queryable, organizationId: string, row: UserRow): Promise<void> {
  await putScimUser(tx, organizationId, { ...row, active: false });
  await tx.query({
    name: "scim_hide_user",
    text: `with gone as (delete from scim_group_members where user_id = $1)
      update scim_users set deleted_at = now() where user_id = $1`,
    values: [row.id],
  });
}

/** Stores that the identity provider manages these users, of whom it has said nothing yet. */
export async function provisionUsers(
  tx: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  await tx.query({
    name: "scim_provision_users",
    text: `insert into scim_users (user_id, organization_id, user_name, active)
      select id, organization_id, email, true from users where organization_id = $1 and id = any($2::uuid[])
      on conflict (user_id) do nothing`,
    values: [organizationId, ids],
  });
}

/** A group of a user. */
export interface GroupOfUser {
  user_id: string;
  group_id: string;
  display_name: string;
}

export async function groupsOfUsers(db: Queryable, ids: readonly string[]): Promise<GroupOfUser[]> {
  const { rows } = await db.query<GroupOfUser>({
    name: "scim_groups_of_users",
    text: `select m.user_id, m.group_id, g.display_name from scim_group_members m
      join scim_groups g on g.id = m.group_id where m.user_id = any($1::uuid[]) order by m.group_id`,
    values: [ids],
  });
  return rows;
}
