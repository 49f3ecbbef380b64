import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForwardResource } from "@berth/sdk";
import { nameOf, readForwardSearch } from "./forward-search.ts";

test("an address is read, whatever stands in it", () => {
  assert.deepEqual(readForwardSearch({ type: "vault", q: 5, create: true, resource: "vault_1" }), {
    type: "vault",
    q: "5",
    create: true,
    resource: "vault_1",
  });
  assert.deepEqual(readForwardSearch({ type: "environment", q: "", create: "x", resource: 1 }), {});
  assert.deepEqual(readForwardSearch({ type: "agent" }), {});
});

test("each kind of resource is called by its own name", () => {
  const named = (spec: object) => nameOf({ id: "id", resource_spec: spec } as ForwardResource);
  assert.deepEqual(
    [{ display_name: "Production" }, { filename: "a.csv" }, { name: "registry" }, {}].map(named),
    ["Production", "a.csv", "registry", "id"],
  );
});
