import type { DatabaseAccess } from "../db/database-access.ts";
import type { Queryable } from "../db/statement.ts";
import { locationIn, SEALED_COLUMNS, type SealedColumn } from "./sealed-columns.ts";
import { envelopeMark, MARK_BYTES, SecretBox } from "./secret-box.ts";

/** A key and the former key that it replaces. */
export interface KeyChange {
  active: Uint8Array;
  former: Uint8Array;
}

/** Thrown when neither key opens a secret. What was resealed before it stays resealed. */
export class UnopenedSecret extends Error {
  override readonly name = "UnopenedSecret";

  constructor({ table }: SealedColumn, row: string, cause: unknown) {
    super(`A secret in ${table}, row ${row}, cannot be decrypted with the former key.`, { cause });
  }
}

const BATCH_ROWS = 500;

/** Counts the secrets that are sealed with one of these keys, and those that are sealed with another. */
export async function countKeys(
  db: Queryable,
  keys: readonly Uint8Array[],
): Promise<{ known: number; unknown: number }> {
  const marks = keys.map(envelopeMark);
  const total = { known: 0, unknown: 0 };
  for (const { table, column } of SEALED_COLUMNS) {
    const isKnown = `substring(${column} from 1 for ${MARK_BYTES}) = any($1::bytea[])`;
    const { rows } = await db.query<{ known: number; unknown: number }>({
      text: `select count(*) filter (where ${isKnown})::integer as known,
          count(*) filter (where not ${isKnown})::integer as unknown
        from ${table} where ${column} is not null`,
      values: [marks],
    });
    total.known += rows[0]?.known ?? 0;
    total.unknown += rows[0]?.unknown ?? 0;
  }
  return total;
}

/**
 * Reseals every secret that is not sealed with the active key, and returns their number. Each batch is a
 * transaction, so after an interruption the next call continues with the rest.
 * @throws UnopenedSecret
 */
export async function reseal(db: DatabaseAccess, { active, former }: KeyChange): Promise<number> {
  const box = new SecretBox(active, { formerKey: former });
  let total = 0;
  for (const sealed of SEALED_COLUMNS) {
    for (;;) {
      const count = await db.transaction((tx) => resealBatch(tx, box, envelopeMark(active), sealed));
      total += count;
      if (count < BATCH_ROWS) break;
    }
  }
  return total;
}

async function resealBatch(
  tx: Queryable,
  box: SecretBox,
  mark: Buffer,
  sealed: SealedColumn,
): Promise<number> {
  const { table, column, key } = sealed;
  const row = `concat_ws(' ', ${key.map((name) => `${name}::text`).join(", ")})`;
  const { rows } = await tx.query<{ row: string; envelope: Buffer }>({
    text: `select ${row} as row, ${column} as envelope from ${table}
      where ${column} is not null and substring(${column} from 1 for ${MARK_BYTES}) <> $1
      order by ${key.join(", ")} limit ${BATCH_ROWS} for update`,
    values: [mark],
  });
  if (rows.length === 0) return 0;
  await tx.query({
    text: `update ${table} set ${column} = fresh.envelope
      from unnest($1::text[], $2::bytea[]) as fresh (row, envelope) where ${row} = fresh.row`,
    values: [
      rows.map((one) => one.row),
      rows.map((one) => box.seal(locationIn(sealed, one.row), opened(box, sealed, one))),
    ],
  });
  return rows.length;
}

function opened(box: SecretBox, sealed: SealedColumn, { row, envelope }: { row: string; envelope: Buffer }) {
  try {
    return box.open(locationIn(sealed, row), envelope);
  } catch (error) {
    // Only the first column of the key is shown, since a client chose the idempotency key.
    throw new UnopenedSecret(sealed, row.split(" ")[0] ?? "", error);
  }
}
