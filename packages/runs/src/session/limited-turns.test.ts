// Subject: how many turns an organization and its users have at once, on all hosts.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Model } from "@berth/agent";
import { createRehearsalModel } from "@berth/agent/models";
import { newUuid } from "@berth/contract";
import { TurnPermits } from "@berth/store/leases";
import { OwnerLimits, storeLimit } from "@berth/store/limits";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { type Seed, seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { type Installation, idles, installation, steps } from "../../test-support/worker.ts";

interface Trial {
  db: TestDatabase;
  own: Installation;
  sessionsOf(from: Seed, count: number): Promise<{ owner: string; ids: string[] }>;
  model: Model;
  /** The most turns at once, by the first word of their messages. */
  most: Map<string, number>;
}

async function trial(t: TestContext): Promise<Trial> {
  const db = await testDatabase(t);
  const rehearsal = createRehearsalModel();
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  const count = (names: string[], by: number) => {
    for (const name of names) {
      now.set(name, (now.get(name) ?? 0) + by);
      most.set(name, Math.max(most.get(name) ?? 0, now.get(name) ?? 0));
    }
  };
  return {
    db,
    most,
    own: await installation(t, db),
    model: {
      ...rehearsal,
      async *stream(request, signal) {
        const [, ...names] = /<(\w+) (\w+)>/.exec(JSON.stringify(request.messages)) ?? [];
        count(names, 1);
        try {
          await new Promise((resolve) => setImmediate(resolve));
          yield* rehearsal.stream(request, signal);
        } finally {
          count(names, -1);
        }
      },
    },
    async sessionsOf(from, many) {
      const ids = await Promise.all(Array.from({ length: many }, () => seedSession(db.write, from)));
      const owner = newUuid();
      await db.write.query({
        text: "update sessions set owner_type = 'user', owner_id = $1 where id = any($2::uuid[])",
        values: [owner, ids],
      });
      return { owner, ids };
    },
  };
}

test("limits of an organization and of a user hold over two workers, and every turn has its time", async (t) => {
  const { db, own, sessionsOf, model, most } = await trial(t);
  const [from, other] = [await seed(db.write), await seed(db.write)];
  const [ada, bob, free] = [await sessionsOf(from, 8), await sessionsOf(from, 8), await sessionsOf(other, 8)];
  const organization = { id: from.organizationId, organizationId: from.organizationId };
  await storeLimit(db.write, organization, "running_turns", 3);
  await storeLimit(db.write, { ...organization, id: ada.owner }, "running_turns", 1);
  for (const [name, { ids }] of Object.entries({ "acme ada": ada, "acme bob": bob, "other free": free }))
    for (const id of ids) await own.send(id, steps({ say: `<${name}>` }));
  for (const _ of [1, 2]) await own.worker({ model: () => model, sandboxIdleMs: 0 });
  const all = [...ada.ids, ...bob.ids, ...free.ids];
  await Promise.all(all.map((id) => own.until(id, (log) => idles(log) === 1)));
  assert.equal(most.get("ada"), 1);
  assert.ok((most.get("acme") ?? 9) <= 3, `${most.get("acme")}`);
  assert.ok((most.get("free") ?? 0) >= 1);
  // All permits are released.
  while ((await db.read.query({ text: "select from turn_permits" })).rowCount > 0);
});

test("a session that waits for its owner's turns is interrupted and archived as any other", async (t) => {
  const { db, own, sessionsOf, model } = await trial(t);
  const from = await seed(db.write);
  const { owner, ids } = await sessionsOf(from, 3);
  const [running = "", waiting = "", archived = ""] = ids;
  await storeLimit(db.write, { id: owner, organizationId: from.organizationId }, "running_turns", 1);
  const lease = await seedLease(db.write, running, "elsewhere");
  const permits = new TurnPermits(db, new OwnerLimits(db.read));
  const permit = await permits.take(lease, { organizationId: from.organizationId, ownerId: owner });
  assert.ok(permit);
  assert.deepEqual(await permits.full(), { organizations: [], owners: [owner] });
  await own.send(waiting, steps({ say: "never" }));
  await own.send(archived, steps({ say: "never" }));
  await db.write.query({ text: "update sessions set archived_at = now() where id = $1", values: [archived] });
  await own.worker({ model: () => model, sandboxIdleMs: 0 });
  const text = "select 1 from sessions where id = $1 and pending_at is null and lease_owner is null";
  while ((await db.read.query({ text, values: [archived] })).rowCount === 0);
  await own.interrupt(waiting);
  const log = await own.until(waiting, (entries) => idles(entries) === 1);
  assert.doesNotMatch(JSON.stringify(log), /agent\.message/);
  await permit.release();
});

test("a permit ends with its lease", async (t) => {
  const { db, sessionsOf } = await trial(t);
  const from = await seed(db.write);
  const { owner, ids } = await sessionsOf(from, 3);
  const [one = "", two = "", three = ""] = ids;
  await storeLimit(db.write, { id: owner, organizationId: from.organizationId }, "running_turns", 1);
  const permits = new TurnPermits(db, new OwnerLimits(db.read));
  const whose = { organizationId: from.organizationId, ownerId: owner };
  const first = await seedLease(db.write, one, "a");
  assert.ok(await permits.take(first, whose));
  assert.ok(await permits.take(first, whose), "its own does not count");
  const second = await seedLease(db.write, two, "b");
  assert.equal(await permits.take(second, whose), null);
  await db.write.query({ text: "update sessions set lease_until = now() where id = $1", values: [one] });
  const given = await permits.take(second, whose);
  assert.ok(given);
  const third = await seedLease(db.write, three, "c");
  let looks = 0;
  const stop = permits.whenReleased(() => {
    looks += 1;
  });
  assert.equal(await permits.take(third, whose), null);
  await given.release();
  stop();
  assert.equal(looks, 1);
  const last = await permits.take(third, whose);
  assert.ok(last);
  await last.release();
  assert.equal(looks, 1);
});
