import type { Queryable } from "../db/statement.ts";
import type { LimitName, LimitValues } from "./limit-names.ts";

/** Returns the limits of all subjects with limits of their own, by the uuid of the organization or user. */
export async function readLimits(db: Queryable): Promise<Map<string, LimitValues>> {
  const { rows } = await db.query<{ subject_id: string; name: LimitName; value: number | null }>({
    name: "read_limits",
    text: "select subject_id, name, value::double precision as value from limits",
  });
  const limits = new Map<string, LimitValues>();
  for (const { subject_id: id, name, value } of rows) limits.set(id, { ...limits.get(id), [name]: value });
  return limits;
}

/**
 * Stores a limit of a subject.
 * @param value Null for no limit, whatever the settings say.
 */
export async function storeLimit(
  tx: Queryable,
  { id, organizationId }: { id: string; organizationId: string },
  name: LimitName,
  value: number | null,
): Promise<void> {
  await tx.query({
    name: "store_limit",
    text: `insert into limits (subject_id, organization_id, name, value) values ($1, $2, $3, $4)
      on conflict (subject_id, name) do update set value = excluded.value`,
    values: [id, organizationId, name, value],
  });
}

/** Removes a subject's own limit, so that the settings apply again. */
export async function removeLimit(tx: Queryable, subjectId: string, name: LimitName): Promise<void> {
  await tx.query({
    name: "remove_limit",
    text: "delete from limits where subject_id = $1 and name = $2",
    values: [subjectId, name],
  });
}

/** Prevents others from counting towards this limit until the transaction ends. */
export async function lockLimit(tx: Queryable, subjectId: string, name: LimitName): Promise<void> {
  await tx.query({
    name: "lock_limit",
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [`limit ${name} ${subjectId}`],
  });
}
