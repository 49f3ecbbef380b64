import assert from "node:assert/strict";
import { test } from "node:test";
import { objectPath } from "./object-paths.ts";

test("an id tells where its object is shown", () => {
  const end = "01m8a4jbteehfvabhs0zf78ck3";
  assert.deepEqual(
    ["sess", "dep", "env", "memstore", "tok"].map((prefix) => objectPath(`${prefix}_${end}`)),
    [
      `/sessions/sess_${end}`,
      `/deployments/dep_${end}`,
      `/environments/env_${end}`,
      `/memory/memstore_${end}`,
      `/tokens?token=tok_${end}`,
    ],
  );
});

test("what is no id, or has no page, has no path", () => {
  assert.deepEqual(
    ["", "sess_", "sess_short", "Release 2.4", "usr_01m8a4jbteehfvabhs0zf78ck3"].map(objectPath),
    [null, null, null, null, null],
  );
  assert.equal(objectPath("sess_../../../../../../etc/pass"), null);
});
