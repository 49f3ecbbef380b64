import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { abandonedLeases } from "./abandoned-leases-store.ts";

test("abandonedLeases: released and long expired ones, of what lease so ever; not of sessions that are held, just due or unknown", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const lease = async (set = "id = id") => {
    const { sessionId, epoch } = await seedLease(db.write, await seedSession(db.write, from), newUuid());
    await db.write.query({ text: `update sessions set ${set} where id = $1`, values: [sessionId] });
    return { sessionId, epoch };
  };
  const held = await lease();
  const late = await lease("lease_until = now() - interval '5 seconds'");
  const released = await lease("lease_owner = null, lease_until = null");
  const expired = await lease("lease_until = now() - interval '1 minute'");
  const taken = await lease("lease_epoch = lease_epoch + 1");
  const due = await lease("lease_owner = null, lease_until = null, pending_at = now()");
  const dueLong = await lease(
    "lease_owner = null, lease_until = null, pending_at = now() - interval '1 minute'",
  );
  const earlier = await lease("lease_owner = null, lease_until = null, lease_epoch = 7");
  const future = { ...(await lease()), epoch: 1_000 };
  const unknown = { sessionId: newUuid(), epoch: 1 };
  const asked = [held, late, released, expired, taken, due, dueLong, earlier, future, unknown];
  const found = await abandonedLeases(db.write, asked);
  const sorted = (leases: { sessionId: string }[]) => leases.map(({ sessionId }) => sessionId).sort();
  assert.deepEqual(sorted(found), sorted([released, expired, dueLong, earlier]));
});
