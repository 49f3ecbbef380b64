import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { callOperation } from "./harness/call-operation.ts";
import { type DescribedOperation, describe } from "./harness/document.ts";
import { makeWorld, type World } from "./harness/world.ts";

/** Every tenant's word is in every free field that it has, and in no answer that another tenant gets. */

let berth: Berth;
before(async () => {
  berth = await Berth.start();
});
after(() => berth.stop());

interface Tenant {
  api: Api;
  world: World;
}

test("no tenant's word reaches another", { timeout: 300_000 }, async () => {
  const tenants: Tenant[] = [];
  for (const name of ["aardvark", "bandicoot", "capybara"]) {
    const api = await berth.client({ user: `${name}@example.com`, org: name });
    tenants.push({ api, world: await makeWorld(api, `${name}canary`) });
  }
  const { operations } = await describe(berth.url);
  let answers = 0;
  for (const asker of tenants) {
    const words = tenants.filter((other) => other !== asker).map(({ world }) => world.canary);
    for (const operation of operations) {
      for (const { world } of tenants) {
        const own = world === asker.world;
        if (own && operation.method !== "GET") continue;
        const { body } = await callOperation(
          asker.api,
          operation,
          own ? world : mixed(operation, asker.world, world),
        );
        const text = JSON.stringify(body) ?? "";
        for (const word of words)
          assert.ok(
            !text.includes(word),
            `${operation.id} answered another's ${word}: ${text.slice(0, 300)}`,
          );
        answers += 1;
      }
    }
    const mine = await asker.api.ok("GET", "/agents");
    assert.ok(JSON.stringify(mine).includes(asker.world.canary), "its own word is there");
  }
  for (const { world } of tenants) assert.ok(!berth.log.includes(world.canary), "no word is in the log");
  console.log(`${answers} answers`);
});

/** Another's objects in the path; in the body the asker's own words, since those are its to say. */
function mixed(_operation: DescribedOperation, own: World, other: World): World {
  return { canary: own.canary, ids: other.ids };
}
