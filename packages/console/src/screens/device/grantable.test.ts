import assert from "node:assert/strict";
import { test } from "node:test";
import { grantable } from "./grantable.ts";

test("one may grant what was asked for and is one's own", () => {
  assert.deepEqual(grantable(["*"], ["*"]), ["*"]);
  assert.deepEqual(grantable(["agents:read"], ["*"]), ["agents:read"]);
  assert.deepEqual(grantable(["*"], ["agents:read", "files:read"]), ["agents:read", "files:read"]);
  assert.deepEqual(grantable(["agents:read", "agents:write"], ["agents:read"]), ["agents:read"]);
  assert.deepEqual(grantable(["agents:write"], ["files:read"]), []);
});
