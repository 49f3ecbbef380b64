import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import fc from "fast-check";
import { testDatabase } from "../../test-support/database.ts";
import type { BatchStatement } from "./batch.ts";
import { storeInBatches } from "./batches.ts";
import { DatabaseUnavailableError } from "./database-error.ts";
import type { Queryable } from "./statement.ts";
import { asDatabase } from "./transaction.ts";

type Note = { id: string; body: string };

/** Stores no note that is empty, and fails for one that is "bad". */
const insertNote: BatchStatement<Note, Note> = {
  name: "insert_notes",
  text: `insert into notes select id, body from json_to_recordset($1::json) as given (id uuid, body text)
    where body <> '' returning id, body`,
  encode: (note) => JSON.stringify(note),
};

async function notes(t: TestContext) {
  const db = await testDatabase(t);
  await db.write.query({ text: "create table notes (id uuid primary key, body text check (body <> 'bad'))" });
  const sizes: number[] = [];
  const counted: Queryable = {
    query(statement) {
      sizes.push(JSON.parse(`${statement.values?.[0]}`).length);
      return db.write.query(statement);
    },
  };
  return { db, sizes, store: storeInBatches(counted) };
}

const note = (body: string): Note => ({ id: newUuid(), body });

describe("batches", () => {
  test("alone → stored at once; many at once → few statements, and each has its own result", async (t) => {
    const { db, sizes, store } = await notes(t);
    const alone = note("alone");
    assert.deepEqual(await store(insertNote, alone), alone);
    assert.deepEqual(sizes, [1]);
    const many = Array.from({ length: 200 }, (_, index) => note(`${index}`));
    assert.deepEqual(await Promise.all(many.map((one) => store(insertNote, one))), many);
    assert.deepEqual(
      sizes.toSorted((a, b) => a - b),
      [1, 1, 1, 6, 64, 64, 64],
    );
    assert.equal((await db.read.query({ text: "select from notes" })).rowCount, 201);
  });

  test("one is refused, another not stored → the others are stored", async (t) => {
    const { db, store } = await notes(t);
    const bodies = ["a", "b", "bad", "", "c", "bad", "d"];
    const ends = await Promise.allSettled(bodies.map((body) => store(insertNote, note(body))));
    const seen = ends.map((end) =>
      end.status === "fulfilled" ? (end.value?.body ?? null) : end.reason.code,
    );
    assert.deepEqual(seen, ["a", "b", "23514", null, "c", "23514", "d"]);
    const { rows } = await db.read.query<Note>({ text: "select body from notes" });
    assert.deepEqual(rows.map(({ body }) => body).toSorted(), ["a", "b", "c", "d"]);
  });

  test("the database does not answer → each fails as alone, and later ones are stored", async (t) => {
    const { db } = await notes(t);
    let down = true;
    const store = storeInBatches({
      query: async (statement) => {
        if (down) throw new DatabaseUnavailableError("down");
        return await db.write.query(statement);
      },
    });
    const ends = await Promise.allSettled(["a", "b", "c"].map((body) => store(insertNote, note(body))));
    for (const end of ends)
      assert.ok(end.status === "rejected" && end.reason instanceof DatabaseUnavailableError);
    down = false;
    assert.equal((await store(insertNote, note("later")))?.body, "later");
  });

  test("in a transaction: alone, and gone when it is rolled back", async (t) => {
    const { db } = await notes(t);
    const undo = new Error("undo");
    const rolledBack = db.transaction(async (tx) => {
      await asDatabase(tx, (whole) => whole.store(insertNote, note("a")));
      throw undo;
    });
    await assert.rejects(rolledBack, undo);
    assert.equal((await db.read.query({ text: "select from notes" })).rowCount, 0);
  });

  test("rows of any size → all are stored, in statements of at most a megabyte or one row", async (t) => {
    const { db, store } = await notes(t);
    let largest = 0;
    const measured = storeInBatches({
      query(statement) {
        const text = `${statement.values?.[0]}`;
        if (JSON.parse(text).length > 1) largest = Math.max(largest, text.length);
        return db.write.query(statement);
      },
    });
    const size = fc.oneof(fc.nat(100), fc.nat(700_000), fc.constant(1_200_000));
    await fc.assert(
      fc.asyncProperty(fc.array(size, { maxLength: 12 }), async (lengths) => {
        const rows = lengths.map((length) => note(`x${"y".repeat(length)}`));
        assert.deepEqual(await Promise.all(rows.map((row) => measured(insertNote, row))), rows);
        assert.ok(largest < 1_060_000, `${largest}`);
      }),
      { numRuns: 10 },
    );
    assert.equal(await store(insertNote, note("")), null);
  });
});
