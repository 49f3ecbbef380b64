// Subject: processes that create sessions at the same moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { OwnerLimits, storeLimit } from "@berth/store/limits";
import { CONNECTIONS, openAsProcesses, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { countOpenSessions } from "./open-session-store.ts";
import { openSessionsChecks } from "./open-sessions.ts";

test("creations in many processes at once fill the last places, and no more; each that is closed makes room for one", async (t) => {
  const db = await testDatabase(t);
  const processes = openAsProcesses(t, db, 6);
  // One request per connection: a request that waits too long for a connection fails, which happens soon on a
  // slow machine.
  const atOnce = 6 * CONNECTIONS;
  const { organizationId, ...from } = await seed(db.write);
  const [ada, bob] = [newUuid(), newUuid()];
  await storeLimit(db.write, { id: organizationId, organizationId }, "open_sessions", 7);
  await storeLimit(db.write, { id: ada, organizationId }, "open_sessions", 3);
  const limits = processes.map((one) => new OwnerLimits(one.read));

  async function create(at: number): Promise<void> {
    const [database, known] = [processes[at % processes.length], limits[at % processes.length]];
    assert.ok(database && known);
    const id = at % 2 === 0 ? ada : bob;
    const checks = await openSessionsChecks(database.read, known, {
      kind: "user",
      id,
      organizationId,
    } as Principal);
    await database.transaction(async (tx) => {
      for (const check of checks) await check.lock?.(tx);
      const session = await seedSession(tx, { organizationId, ...from });
      await tx.query({
        text: "update sessions set owner_type = 'user', owner_id = $1 where id = $2",
        values: [id, session],
      });
    });
  }

  for (const room of [7, 2, 4]) {
    const created = await Promise.allSettled(Array.from({ length: atOnce }, (_, at) => create(at)));
    const refused = created.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    assert.equal(created.length - refused.length, room);
    for (const reason of refused) assert.equal(reason.type, "rate_limit_error", String(reason));
    assert.equal(await countOpenSessions(db.read, { kind: "organization", id: organizationId }), 7);
    assert.ok((await countOpenSessions(db.read, { kind: "user", id: ada })) <= 3);
    const closed = room === 7 ? 2 : 4;
    await db.write.query({
      text: "update sessions set archived_at = now() where id in (select id from sessions where archived_at is null limit $1)",
      values: [closed],
    });
  }
});

test("far from a limit creations share one count and no lock; near it each counts", async (t) => {
  const db = await testDatabase(t);
  const { organizationId } = await seed(db.write);
  const principal = { kind: "user", id: newUuid(), organizationId } as Principal;
  let counted = 0;
  const reader: Queryable = {
    query: (statement) => {
      if (statement.name?.startsWith("count_open_sessions") === true) counted += 1;
      return db.read.query(statement);
    },
  };
  // The clock stands still, so that counts stay recent on a slow machine.
  const far = new OwnerLimits(
    db.read,
    {
      organization: { open_sessions: 50_000 },
      user: { open_sessions: 20_000 },
    },
    undefined,
    () => 0,
  );
  const checked = await Promise.all(
    Array.from({ length: 50 }, () => openSessionsChecks(reader, far, principal)),
  );
  assert.deepEqual([checked.flat(), counted], [[], 2], "one for each limit");
  const near = new OwnerLimits(db.read, { organization: { open_sessions: 10_000 }, user: {} });
  assert.equal((await openSessionsChecks(reader, near, principal)).length, 1);
});
