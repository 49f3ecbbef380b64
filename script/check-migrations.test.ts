import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { migrationFaults, numberFaults, takingFaults } from "./check-migrations.ts";

test("migrations: each number is given once, and none is left out", () => {
  assert.deepEqual(numberFaults(["0001-a.sql", "0002-b.sql", "0003-c-4.sql"]), []);
  assert.deepEqual(numberFaults(["0001-a.sql", "0002-b.sql", "0002-c.sql"]), [
    "0002-c.sql: the number should be 0003.",
  ]);
  assert.deepEqual(numberFaults(["0001-a.sql", "0003-b.sql"]), ["0003-b.sql: the number should be 0002."]);
  assert.deepEqual(numberFaults(["0001-a.sql", "2-b.sql"]), ["2-b.sql: migrations are named NNNN-name.sql."]);
});

test("migrations: what takes from releases before says what it requires", () => {
  const taking = [
    "alter table t drop column c;",
    "drop table t;",
    "alter table t rename column a to b;",
    "alter table t alter column c type bigint;",
    "alter table t alter c set not null;",
    "alter table t add column c text not null;",
    "alter table t add column c text default '', add column d int not null;",
  ];
  for (const sql of taking) {
    assert.equal(takingFaults("0002-a.sql", sql).length, 1, sql);
    assert.deepEqual(takingFaults("0002-a.sql", `-- requires: 0001\n${sql}`), []);
  }
  const giving = [
    "create table t (a text not null); -- drop table t",
    "alter table t add column c text, add column d text not null default '';",
    "create index i on t (c) where c is not null;",
  ];
  for (const sql of giving) assert.deepEqual(takingFaults("0002-a.sql", sql), [], sql);
});

test("this repository's migrations are numbered without gaps", () => {
  assert.deepEqual(migrationFaults(join(import.meta.dirname, "..")), []);
});
