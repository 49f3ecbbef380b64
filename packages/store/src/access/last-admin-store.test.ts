// Subject: the rule that an organization keeps an enabled admin.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { type TestDatabase, testDatabase } from "../../test-support/database.ts";
import { checkNotLastAdmin } from "./last-admin-store.ts";

type Member = readonly [role: "member" | "admin", isDisabled?: boolean];

/** Returns the database, the organization, and its users in the given order. */
async function organizationOf(t: TestContext, ...members: Member[]) {
  const db = await testDatabase(t);
  const organizationId = newUuid();
  await db.write.query({
    text: "insert into organizations (id, name) values ($1, 'acme')",
    values: [organizationId],
  });
  const users = [];
  for (const [role, isDisabled = false] of members) {
    const id = newUuid();
    await db.write.query({
      text: `insert into users (id, organization_id, email, role, disabled_at)
        values ($1, $2, $3, $4, case when $5 then now() end)`,
      values: [id, organizationId, `user${users.length}@example.com`, role, isDisabled],
    });
    users.push(id);
  }
  return { db, organizationId, users };
}

const check = (db: TestDatabase, organizationId: string, userId = "") =>
  db.transaction((tx) => checkNotLastAdmin(tx, { organizationId, userId }));

test("only admin: refused with one sentence; members and disabled admins may go, and do not count", async (t) => {
  const { db, organizationId, users } = await organizationOf(t, ["admin"], ["member"], ["admin", true]);
  await assert.rejects(check(db, organizationId, users[0]), {
    type: "conflict_error",
    message: "'user0@example.com' is the only admin of the organization. Make another user an admin first.",
  });
  await check(db, organizationId, users[1]);
  await check(db, organizationId, users[2]);
});

const WAIT_MS = 20_000;

/** Resolves once a transaction waits for a lock. */
async function someoneWaits({ read }: TestDatabase): Promise<void> {
  const text = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const deadline = performance.now() + WAIT_MS;
  while ((await read.query({ text })).rowCount === 0)
    assert.ok(performance.now() < deadline, "nobody waits for this transaction");
}

test("two admins are made members at once, by each other: the second waits for the first, and stays", async (t) => {
  const { db, organizationId, users } = await organizationOf(t, ["admin"], ["admin"]);
  const [first = "", second = ""] = users;
  const demote = (userId: string, meanwhile = () => Promise.resolve()) =>
    db.transaction(async (tx) => {
      await checkNotLastAdmin(tx, { organizationId, userId });
      await meanwhile();
      await tx.query({ text: "update users set role = 'member' where id = $1", values: [userId] });
    });
  const checked = Promise.withResolvers<void>();
  const demoted = demote(first, () => {
    checked.resolve();
    return someoneWaits(db);
  });
  await checked.promise;
  await Promise.all([demoted, assert.rejects(demote(second), { type: "conflict_error" })]);
  const { rows } = await db.read.query({ text: "select id from users where role = 'admin'" });
  assert.deepEqual(rows, [{ id: second }]);
});
