import assert from "node:assert/strict";
import { test } from "node:test";
import { readTogether } from "./read-together.ts";
import type { Queryable } from "./statement.ts";

const database = (): Queryable => ({ query: async () => ({ rows: [], rowCount: 0 }) });

/** Creates a read that returns rows for all ids that begin with `r`, and records the ids of each call. */
function reads() {
  const asked: string[][] = [];
  const read = readTogether(async (_db, ids) => {
    asked.push([...ids]);
    return ids.filter((id) => id.startsWith("r")).map((id) => ({ id }));
  });
  return { read, asked };
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

test("what is asked in one turn is one read, and each gets its own rows", async () => {
  const { read, asked } = reads();
  const db = database();
  const results = await Promise.all([read(db, ["r1", "r2"]), read(db, ["r2"]), read(db, ["x", "r3"])]);
  assert.deepEqual(results.map(idsOf), [["r1", "r2"], ["r2"], ["r3"]]);
  assert.deepEqual(asked, [["r1", "r2", "x", "r3"]]);
});

test("what is asked later, or of another database, is read anew", async () => {
  const { read, asked } = reads();
  const [db, other] = [database(), database()];
  await read(db, ["r1"]);
  await Promise.all([read(db, ["r1"]), read(other, ["r1"])]);
  assert.equal(asked.length, 3);
});

test("a read that fails fails for all of the turn, and the next one is made", async () => {
  let fails = true;
  const read = readTogether(async (_db, ids) => {
    if (fails) throw new Error("away");
    return ids.map((id) => ({ id }));
  });
  const db = database();
  const ended = await Promise.allSettled([read(db, ["r1"]), read(db, ["r2"])]);
  assert.deepEqual(
    ended.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  fails = false;
  assert.deepEqual(idsOf(await read(db, ["r1"])), ["r1"]);
});
