import type { ForwardType } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";

/** Uuids. `id` is that of the registration itself. */
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

/** Which part of a user's registrations to read. Lists are newest first; `newer` goes up from the anchor. */
export interface RegistrationRange {
  direction: "older" | "newer";
  /** The uuid of a resource. One that is not registered is placed by its creation time. */
  anchor: string | null;
  rows: number;
}

export async function listRegistrations(
  db: Queryable,
  userId: string,
  type: ForwardType,
  { direction, anchor, rows: limit }: RegistrationRange,
): Promise<RegistrationRow[]> {
  const [name, comparison, order] =
    direction === "older" ? ["older_registrations", "<", "desc"] : ["newer_registrations", ">", "asc"];
  const { rows } = await db.query<RegistrationRow>({
    name,
    text: `
      select id, resource_id from forward_registrations
      where user_id = $1 and type = $2 and ($3::uuid is null or id ${comparison} coalesce(
        (select id from forward_registrations where user_id = $1 and type = $2 and resource_id = $3), $3))
      order by id ${order} limit $4`,
    values: [userId, type, anchor, limit],
  });
  return rows;
}
