import assert from "node:assert/strict";
import { test } from "node:test";
import { dueSessions } from "@berth/store/leases";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";

test("due: work that nobody has, or whose runner died, since its lease ended; not what waits for turns of its owner", async (t) => {
  const { write } = await testDatabase(t);
  const [from, full] = [await seed(write), await seed(write)];
  const set = async (id: string, values: string) => {
    await write.query({ text: `update sessions set ${values} where id = $1`, values: [id] });
  };
  const ago = (minutes: number) => `now() - interval '${minutes} minutes'`;
  assert.deepEqual(await dueSessions(write), { count: 0, seconds: 0 });
  await seedSession(write, from);
  const [waits, runs, died, idle] = [
    ...(await Promise.all([1, 2, 3].map(() => seedSession(write, from, { pending: true })))),
    await seedSession(write, from),
  ] as [string, string, string, string];
  await set(waits, `pending_at = ${ago(1)}`);
  await set(runs, `pending_at = ${ago(60)}`);
  await set(died, `pending_at = ${ago(60)}`);
  for (const id of [runs, died, idle]) await seedLease(write, id, "a");
  const one = await dueSessions(write);
  assert.deepEqual([one.count, Math.round(one.seconds / 60)], [1, 1]);
  await set(died, `lease_until = ${ago(2)}`);
  await set(idle, `lease_until = ${ago(90)}`);
  const two = await dueSessions(write);
  assert.deepEqual([two.count, Math.round(two.seconds / 60)], [2, 2]);
  await set(await seedSession(write, full, { pending: true }), `pending_at = ${ago(30)}`);
  assert.equal((await dueSessions(write)).count, 3);
  const { organizationId } = full;
  for (const owners of [
    { organizations: [organizationId], owners: [] },
    { organizations: [], owners: [organizationId] },
  ])
    assert.deepEqual((await dueSessions(write, owners)).count, 2);
});
