import { setImmediate as nextTurn } from "node:timers/promises";
import type { Queryable } from "./statement.ts";

type ReadRows<Row> = (db: Queryable, ids: readonly string[]) => Promise<readonly Row[]>;

interface Reading<Row> {
  ids: Set<string>;
  rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Combines all calls of a read within one turn of the event loop to a single statement. The statement is sent
 * after the last of these calls, so each caller sees what it would have seen alone. Callers may share a row
 * and must not change it.
 * @param read Returns rows by their uuids, in any order.
 */
export function readTogether<Row extends { id: string }>(read: ReadRows<Row>): ReadRows<Row> {
  const readings = new WeakMap<Queryable, Reading<Row>>();

  function begin(db: Queryable): Reading<Row> {
    const ids = new Set<string>();
    const rows = nextTurn().then(async () => {
      readings.delete(db);
      return new Map((await read(db, [...ids])).map((row) => [row.id, row]));
    });
    const reading = { ids, rows };
    readings.set(db, reading);
    return reading;
  }

  return async (db, ids) => {
    const reading = readings.get(db) ?? begin(db);
    for (const id of ids) reading.ids.add(id);
    const rows = await reading.rows;
    return ids.flatMap((id) => rows.get(id) ?? []);
  };
}
