import assert from "node:assert/strict";
import { test } from "node:test";
import { connectionsOf } from "./connections.ts";

test("connections of a process: as many as the setting says, with a quarter for reads; each role has a default", () => {
  assert.deepEqual(connectionsOf({ databasePool: null, role: "all" }), { max: 10, readers: 3 });
  assert.deepEqual(connectionsOf({ databasePool: null, role: "api" }), { max: 10, readers: 3 });
  assert.deepEqual(connectionsOf({ databasePool: null, role: "runner" }), { max: 4, readers: 2 });
  for (const databasePool of [4, 5, 6, 13, 40]) {
    const { max, readers } = connectionsOf({ databasePool, role: "runner" });
    assert.equal(max + readers, databasePool);
    assert.ok(max >= 3 && readers >= 1 && readers <= 3);
  }
});
