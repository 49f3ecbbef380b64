// Subject: processes that take permits at the same moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import { type Lease, TurnPermits } from "@berth/store/leases";
import { OwnerLimits, storeLimit } from "@berth/store/limits";
import { openAsProcesses, testDatabase } from "@berth/store/test-support/database";
import type { TurnPermit } from "@berth/store/test-support/internals/leases";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import fc from "fast-check";

const PROCESSES = 6;
const SESSIONS = 18;

interface Held {
  permit: TurnPermit;
  owner: string;
}

test("property: whatever is taken and released at once in many processes, no owner has more turns than it may", async (t) => {
  const db = await testDatabase(t);
  const processes = openAsProcesses(t, db, PROCESSES);
  const { organizationId, ...from } = await seed(db.write);
  const [ada, bob] = [newUuid(), newUuid()];
  const leases: Lease[] = [];
  for (let count = 0; count < SESSIONS; count += 1)
    leases.push(await seedLease(db.write, await seedSession(db.write, { organizationId, ...from }), "a"));
  await storeLimit(db.write, { id: organizationId, organizationId }, "running_turns", 5);
  await storeLimit(db.write, { id: ada, organizationId }, "running_turns", 2);
  const permits = processes.map((one) => new TurnPermits(one, new OwnerLimits(one.read)));
  const held = new Map<number, Held>();

  /** Takes a permit if the session has none, and releases it otherwise. */
  async function toggle(session: number, process: number): Promise<void> {
    const before = held.get(session);
    if (before !== undefined) {
      // A permit counts until it is released. Afterwards another process may have it before this one knows.
      held.delete(session);
      return await before.permit.release();
    }
    const owner = session % 3 === 0 ? ada : bob;
    const lease = leases[session];
    assert.ok(lease);
    const permit = await permits[process]?.take(lease, { organizationId, ownerId: owner });
    if (permit) held.set(session, { permit, owner });
    const ofAda = [...held.values()].filter((one) => one.owner === ada).length;
    assert.ok(held.size <= 5 && ofAda <= 2, `${held.size} turns, ${ofAda} of one user`);
  }

  const toggles = fc.uniqueArray(fc.nat(SESSIONS - 1), { minLength: SESSIONS / 2 });
  await fc.assert(
    fc.asyncProperty(fc.array(toggles, { minLength: 1, maxLength: 4 }), async (rounds) => {
      for (const sessions of rounds)
        await Promise.all(sessions.map((session, at) => toggle(session, at % PROCESSES)));
      // Every limit can be used up.
      await Promise.all(leases.map((_, at) => (held.has(at) ? null : toggle(at, at % PROCESSES))));
      assert.equal(held.size, 5);
    }),
    { numRuns: 12 },
  );
});
