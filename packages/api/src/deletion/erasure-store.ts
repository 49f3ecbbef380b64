import { condition, type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";

/** An erasure. Ids are uuids. */
export interface Erasure {
  id: string;
  subject_type: "user" | "organization";
  subject_id: string;
  organization_id: string;
  /** Number of deleted rows or bytes of each kind. */
  deleted: Record<string, number>;
  /** Objects that were transferred to the organization, since sessions of others use them. */
  handed_over: { type: "agent" | "environment"; id: string }[];
  completed_at: Date | null;
}

const COLUMNS = "id, subject_type, subject_id, organization_id, deleted, handed_over, completed_at";

/**
 * Stores an erasure, and disables its subject, so that its tokens are rejected. Returns the existing erasure
 * if the subject already has one.
 */
export async function requestErasure(
  tx: Queryable,
  { id, subject_type: type, subject_id: subject, organization_id: organization }: NewErasure,
): Promise<Erasure> {
  const { rows } = await tx.query<Erasure>({
    name: "request_erasure",
    text: `insert into erasures (id, subject_type, subject_id, organization_id) values ($1, $2, $3, $4)
      on conflict (subject_id) do update set subject_id = excluded.subject_id returning ${COLUMNS}`,
    values: [id, type, subject, organization],
  });
  for (const [name, text] of REJECT[type]) await tx.query({ name, text, values: [subject] });
  const [erasure] = rows;
  if (erasure === undefined) throw new Error("An erasure is missing after it was stored.");
  return erasure;
}

export type NewErasure = Pick<Erasure, "id" | "subject_type" | "subject_id" | "organization_id">;

const disable = (table: string, column: string) =>
  `update ${table} set disabled_at = coalesce(disabled_at, now()), updated_at = now() where ${column} = $1`;

/** Statements that disable the subject, after waiting for members who are being added. */
const REJECT: Readonly<Record<Erasure["subject_type"], readonly (readonly [name: string, text: string])[]>> =
  {
    user: [["disable_erased_user", disable("users", "id")]],
    organization: [
      ["lock_erased_organization", "select from organizations where id = $1 for no key update"],
      ["disable_erased_users", disable("users", "organization_id")],
      ["disable_erased_accounts", disable("service_accounts", "organization_id")],
    ],
  };

export async function readErasure(db: Queryable, id: string): Promise<Erasure | null> {
  const { rows } = await db.query<Erasure>({
    name: "read_erasure",
    text: `select ${COLUMNS} from erasures where id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** Selects erasures, newest first. @param organization uuid. Default: all. */
export async function selectErasures(
  db: Queryable,
  range: KeysetRange,
  organization: string | null = null,
): Promise<Erasure[]> {
  const conditions = organization === null ? [] : [condition("organization_id = ?", organization)];
  return await selectKeyset<Erasure>(db, range, { table: "erasures", columns: COLUMNS, conditions }, null);
}

/** Returns incomplete erasures, and those completed within the last `sinceMs` milliseconds, oldest first. */
export async function unfinishedErasures(db: Queryable, sinceMs = 0): Promise<Erasure[]> {
  const { rows } = await db.query<Erasure>({
    name: "unfinished_erasures",
    text: `select ${COLUMNS} from erasures
      where completed_at is null or completed_at > now() - $1 * interval '1 millisecond' order by id`,
    values: [sinceMs],
  });
  return rows;
}

export async function hasUnfinishedErasures(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ some: boolean }>({
    name: "has_unfinished_erasures",
    text: "select exists (select from erasures where completed_at is null) as some",
  });
  return rows[0]?.some ?? false;
}

/** Adds to the counts of deleted rows, in the transaction that deletes them. */
export async function countErased(tx: Queryable, id: string, counts: Record<string, number>): Promise<void> {
  await tx.query({
    name: "count_erased",
    text: `update erasures set deleted = deleted || (
        select coalesce(jsonb_object_agg(key, value::bigint + coalesce((deleted ->> key)::bigint, 0)), '{}')
        from jsonb_each_text($2::jsonb) where value::bigint > 0
      ) where id = $1`,
    values: [id, counts],
  });
}

export async function noteHandedOver(
  tx: Queryable,
  id: string,
  handedOver: Erasure["handed_over"],
): Promise<void> {
  await tx.query({
    name: "note_handed_over",
    text: "update erasures set handed_over = handed_over || $2::jsonb where id = $1",
    values: [id, JSON.stringify(handedOver)],
  });
}

/** Marks an erasure as complete. Returns false if it was complete already. */
export async function completeErasure(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "complete_erasure",
    text: "update erasures set completed_at = now() where id = $1 and completed_at is null",
    values: [id],
  });
  return rowCount === 1;
}

/** Returns the hashes of contents whose removal is not confirmed yet. */
export async function erasedContents(db: Queryable, id: string): Promise<string[]> {
  const { rows } = await db.query<{ sha256: string }>({
    name: "erased_contents",
    text: "select sha256 from erased_contents where erasure_id = $1 order by sha256",
    values: [id],
  });
  return rows.map(({ sha256 }) => sha256);
}

/** Removes a content from those whose removal an erasure waits for. */
export async function forgetContent(db: Queryable, id: string, sha256: string): Promise<void> {
  await db.query({
    name: "forget_erased_content",
    text: "delete from erased_contents where erasure_id = $1 and sha256 = $2",
    values: [id, sha256],
  });
}

/** Counts the subject's remaining sessions, by the place of their disk; null without a disk. */
export async function remainingSessions(
  db: Queryable,
  erasure: NewErasure,
): Promise<{ home: string | null; sessions: number }[]> {
  const { rows } = await db.query<{ home: string | null; sessions: number }>({
    text: `select home, count(*)::integer as sessions from sessions where ${ownerColumn(erasure)} = $1
      group by home order by home`,
    values: [erasure.subject_id],
  });
  return rows;
}

/** Returns the column of owned rows that holds the subject's id. */
export function ownerColumn({ subject_type: type }: Pick<Erasure, "subject_type">): string {
  return type === "user" ? "owner_id" : "organization_id";
}
