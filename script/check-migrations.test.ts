import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { migrationFaults, numberFaults } from "./check-migrations.ts";

test("migrations: each number is given once, and none is left out", () => {
  assert.deepEqual(numberFaults(["0001-a.sql", "0002-b.sql", "0003-c-4.sql"]), []);
  assert.deepEqual(numberFaults(["0001-a.sql", "0002-b.sql", "0002-c.sql"]), [
    "0002-c.sql: the number should be 0003.",
  ]);
  assert.deepEqual(numberFaults(["0001-a.sql", "0003-b.sql"]), ["0003-b.sql: the number should be 0002."]);
  assert.deepEqual(numberFaults(["0001-a.sql", "2-b.sql"]), ["2-b.sql: migrations are named NNNN-name.sql."]);
});

test("this repository's migrations are numbered without gaps", () => {
  assert.deepEqual(migrationFaults(join(import.meta.dirname, "..")), []);
});
