import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { testDatabase } from "@berth/store/test-support/database";
import type { Statement } from "@berth/store/test-support/internals/db";
import { type Seed, seed, seedSession } from "@berth/store/test-support/runs";
import { claimant } from "../../test-support/worker.ts";
import { SharedClaims } from "./shared-claims.ts";

/** Creates due sessions of a new user; the first is due for the longest time. */
async function dueSessions(db: Queryable, from: Seed, count: number, home: string | null = null) {
  const member = newUuid();
  await seedSession(db, from);
  await db.query({
    text: `insert into sessions (id, organization_id, owner_type, owner_id, agent_id, agent, environment_id, pending_at, home)
      select gen_random_uuid(), organization_id, 'user', $2, agent_id, agent, environment_id, now() - place * interval '1 ms', $4
      from sessions, generate_series(1, $3) as place
      where sessions.organization_id = $1 and owner_type = 'organization' limit $3`,
    values: [from.organizationId, member, count, home],
  });
  return { group: from.organizationId, member };
}

test("claim: round by round, organizations first, then their users, and each gets its turn in later claims", async (t) => {
  const db = await testDatabase(t);
  const [one, two] = [await seed(db.write), await seed(db.write)];
  const [a, b] = [await dueSessions(db.write, one, 50), await dueSessions(db.write, one, 3)];
  const c = await dueSessions(db.write, two, 4);
  const names = new Map([a, b, c].map(({ member }, index) => [member, "abc".charAt(index)]));
  const claims = new SharedClaims();
  const claim = async (limit: number) =>
    (await claims.claim(db.write, claimant("worker"), limit)).leases
      .map(({ share }) => names.get(share.member))
      .sort()
      .join("");
  assert.equal((await claim(2)).replace("b", "a"), "ac");
  assert.equal(await claim(4), "abcc", "each organization two, each user of the first one");
  const singles = [await claim(1), await claim(1)].toSorted();
  assert.match(singles.join(""), /^[ab]c$/);
  assert.match(await claim(100), /^a{46,48}b{1,3}$/, "all that is left");
  assert.equal(await claim(5), "");
});

test("claim: owners that have none claimable, or are left out, keep nobody waiting", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const elsewhere = await Promise.all(Array.from({ length: 70 }, () => dueSessions(db.write, from, 2, "a")));
  const [out, here] = [await dueSessions(db.write, from, 3), await dueSessions(db.write, from, 3)];
  await db.write.query({
    text: `insert into hosts (id, place, version, settings, capacity, name, role) values ('a', 'a', 'test', '{}', 1, 'a', 'all')`,
  });
  const claim = await new SharedClaims().claim(db.write, claimant("worker"), 10, { without: [out] });
  assert.equal(claim.mayLeaveDue, false);
  assert.deepEqual(
    claim.leases.map(({ share }) => share),
    [here, here, here],
  );
  assert.equal(elsewhere.length, 70);
});

test("claim: with ten thousand due sessions of one, and no statistics, it reads a few pages", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  await dueSessions(db.write, from, 10_000);
  for (let users = 0; users < 20; users += 1) await dueSessions(db.write, from, 1);
  const seen: Statement[] = [];
  const recording: Queryable = {
    query: (statement) => {
      seen.push(statement);
      return db.write.query(statement);
    },
  };
  assert.equal((await new SharedClaims().claim(recording, claimant("worker"), 1)).leases.length, 1);
  for (const { name, text, values = [] } of seen) {
    const { rows } = await db.write.query<{ "QUERY PLAN": Array<{ Plan: Record<string, number> }> }>({
      text: `explain (analyze, buffers, format json) ${text}`,
      values,
    });
    const plan = rows[0]?.["QUERY PLAN"][0]?.Plan ?? {};
    const pages = (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
    assert.ok(pages < 600, `${name} reads ${pages} pages`);
  }
});

test("claim: an organization of two hundred users delays another by one session, whatever their uuids", async (t) => {
  const db = await testDatabase(t);
  const [large, before, behind] = [await seed(db.write), await seed(db.write), await seed(db.write)];
  for (let user = 0; user < 200; user += 1) await dueSessions(db.write, large, 5);
  const others = [await dueSessions(db.write, before, 3), await dueSessions(db.write, behind, 3)];
  const claims = new SharedClaims();
  const order: string[] = [];
  for (let turn = 0; turn < 9; turn += 1) {
    const { leases, mayLeaveDue } = await claims.claim(db.write, claimant("worker"), 1);
    assert.equal(mayLeaveDue, true);
    for (const { share } of leases) order.push(share.group);
  }
  for (const { group } of others)
    assert.deepEqual(
      [0, 3, 6].map((from) => order.slice(from, from + 3).filter((one) => one === group).length),
      [1, 1, 1],
    );
});

test("race: claims of many processes get each session once, leave no slot empty, and none waits behind another's", async (t) => {
  const db = await testDatabase(t);
  const [hoard, other] = [await seed(db.write), await seed(db.write)];
  await dueSessions(db.write, hoard, 300);
  const { group } = await dueSessions(db.write, other, 12);
  const processes = Array.from({ length: 12 }, (_, index) => ({
    claims: new SharedClaims(),
    claimant: claimant(`worker ${index}`),
  }));
  const seen = new Set<string>();
  let ofOther = 0;
  for (let round = 0; round < 10; round += 1) {
    const claimed = await Promise.all(processes.map((one) => one.claims.claim(db.write, one.claimant, 2)));
    for (const { leases, mayLeaveDue } of claimed) {
      assert.equal(mayLeaveDue, true);
      for (const { lease } of leases) {
        assert.ok(!seen.has(lease.sessionId));
        seen.add(lease.sessionId);
      }
    }
    const all = claimed.flatMap(({ leases }) => leases);
    assert.equal(all.length, 24, "a slot stayed empty");
    if (round < 2) ofOther += all.filter(({ share }) => share.group === group).length;
  }
  assert.equal(ofOther, 12, "they were not the next ones");
});
