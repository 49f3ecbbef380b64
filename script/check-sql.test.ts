import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { holdsSql, sqlFaults } from "./check-sql.ts";

const statements = [
  'await db.query({ name: "one", text });',
  "const { rows } = await db.query<{ id: string }>({\n  text,\n});",
  "const text = `\n  select id, name\n  from sessions where id = $1`;",
  'const text = "update sessions set title = $1";',
  'const text = "delete from sessions where id = $1";',
];

for (const source of statements) {
  test(`SQL is recognized: ${JSON.stringify(source)}`, () => assert.ok(holdsSql(source)));
}

test("comments and prose are not SQL", () => {
  assert.ok(
    !holdsSql("/** A select of rows from a table. */\n// insert into places\nconst url = request.query;"),
  );
  assert.ok(!holdsSql('throw new Error("Select one from the list.");'));
});

test("this repository's SQL lies where it may", () => {
  assert.deepEqual(sqlFaults(join(import.meta.dirname, "..")), []);
});
