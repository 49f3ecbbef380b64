import type { ForwardType } from "@berth/contract";
import { assembled, condition, joined, type Queryable } from "@berth/store/db";

/** A registration. `id` is the uuid of the registration, `resource_id` that of the resource. */
export interface RegistrationRow {
  id: string;
  resource_id: string;
}

/** Stores a registration, or updates its time if it exists already. Returns true when it is new. */
export async function storeRegistration(
  db: Queryable,
  userId: string,
  type: ForwardType,
  registration: RegistrationRow,
): Promise<boolean> {
  const { rows } = await db.query<{ first: boolean }>({
    name: "store_registration",
    // xmax is 0 in a row that this statement inserted: it was never locked or updated.
    text: `
      insert into forward_registrations (user_id, type, resource_id, id) values ($1, $2, $3, $4)
      on conflict (user_id, type, resource_id) do update set updated_at = now()
      returning xmax = 0 as first`,
    values: [userId, type, registration.resource_id, registration.id],
  });
  return rows[0]?.first === true;
}

/** Part of a user's registrations to read. Lists are newest first; `newer` goes up from the anchor. */
export interface RegistrationRange {
  direction: "older" | "newer";
  /** Uuid of a resource, or null. A resource that is not registered has the position of its creation time. */
  anchor: string | null;
  rows: number;
}

export async function listRegistrations(
  db: Queryable,
  userId: string,
  type: ForwardType,
  { direction, anchor, rows: limit }: RegistrationRange,
): Promise<RegistrationRow[]> {
  const [comparison, order] = direction === "older" ? ["<", "desc"] : [">", "asc"];
  const own = condition("user_id = ? and type = ?", userId, type);
  // A range with an order makes PostgreSQL look up the resource in the only index that contains it.
  const registration = condition(
    `id ${comparison} coalesce((select id from forward_registrations where ${own.text}
      and resource_id >= ?::uuid and resource_id <= ?::uuid order by resource_id limit 1), ?::uuid)`,
    ...own.values,
    ...[anchor, anchor, anchor],
  );
  const select = condition("select id, resource_id from forward_registrations where");
  const where = joined(anchor === null ? [own] : [own, registration], " and ");
  const page = condition(`order by id ${order} limit ?`, limit);
  return (await db.query<RegistrationRow>(assembled([select, where, page]))).rows;
}
