import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, runTurn } from "../acceptance/harness/fixtures.ts";
import { callByFilter, callOperation } from "./harness/call-operation.ts";
import { readOpenApiDocument } from "./harness/openapi-document.ts";
import { makeTenantObjects, type TenantObjects } from "./harness/tenant-objects.ts";

/**
 * Tests that no response contains another tenant's canary, which is in every free text field of that tenant's
 * objects.
 */

let berth: Berth;
before(async () => {
  berth = await Berth.start();
});
after(() => berth.stop());

interface Tenant {
  api: Api;
  objects: TenantObjects;
}

test("no response contains the canary of another tenant", { timeout: 600_000 }, async () => {
  const tenants: Tenant[] = [];
  for (const name of ["aardvark", "bandicoot", "capybara"]) {
    const api = await berth.client({ user: `${name}@example.com`, org: name });
    const objects = await makeTenantObjects(api, `${name}canary`);
    const command = `echo ${objects.canary} > /mnt/session/outputs/${objects.canary}`;
    await runTurn(api, objects.ids.session_id ?? "", { tools: [bash(command)] }, { say: objects.canary });
    tenants.push({ api, objects });
  }
  const { operations } = await readOpenApiDocument(berth.url);
  let responseCount = 0;
  for (const caller of tenants) {
    const canaries = tenants.filter((other) => other !== caller).map(({ objects }) => objects.canary);
    for (const operation of operations) {
      for (const { objects } of tenants) {
        const own = objects === caller.objects;
        if (own && operation.method !== "GET") continue;
        const sent = own ? objects : withOwnCanary(caller.objects, objects);
        const filtered = operation.method === "GET" ? await callByFilter(caller.api, operation, objects) : [];
        for (const { body } of [await callOperation(caller.api, operation, sent), ...filtered]) {
          const text = JSON.stringify(body) ?? "";
          for (const canary of canaries)
            assert.ok(
              !text.includes(canary),
              `${operation.id} returned another tenant's ${canary}: ${text.slice(0, 300)}`,
            );
          responseCount += 1;
        }
      }
    }
    for (const path of ["/agents", `/files?scope_id=${caller.objects.ids.session_id}`]) {
      const mine = JSON.stringify(await caller.api.ok("GET", path));
      assert.ok(mine.includes(caller.objects.canary), `${path} returns the caller's own canary`);
    }
  }
  for (const { objects } of tenants)
    assert.ok(!berth.log.includes(objects.canary), "no canary is in the log");
  console.log(`${responseCount} responses`);
});

/** Returns the ids of another tenant, with the caller's own canary for request bodies. */
function withOwnCanary(own: TenantObjects, other: TenantObjects): TenantObjects {
  return { canary: own.canary, ids: other.ids };
}
