import { setImmediate as nextTurn } from "node:timers/promises";
import type { Queryable } from "./statement.ts";

type ReadRows<Row> = (db: Queryable, ids: readonly string[]) => Promise<readonly Row[]>;

interface Reading<Row> {
  ids: Set<string>;
  rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * The same read, of which all that is asked in one turn of the event loop is one statement. That is sent after the last was asked, so
 * each sees what it would have seen alone, and callers may share a row: nobody changes it.
 *
 * @param read rows by their uuids, in any order.
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
