// Subject: reserving and charging in the database, by many sessions and processes at the same moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LeaseLost, type ListPrice, MIN_OUTPUT_TOKENS } from "@berth/agent";
import { formatId, newUuid } from "@berth/contract";
import type { Database, Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { OwnerLimits, storeLimit } from "@berth/store/limits";
import { openAsProcesses, testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import fc from "fast-check";
import { appendByRun, appendIdle } from "./append-events.ts";
import { RequestCharges } from "./request-charges.ts";
import { reserveSpend, resumeAtDayTurn } from "./reserve-spend.ts";
import { SessionSpending } from "./session-spending.ts";

const CENT = 10_000_000;
const NEVER = new AbortController().signal;
/** One microdollar a token: an output of 10,000 tokens costs a cent. */
const TIER = { above: 0, input: 0, output: 1_000_000, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };
const PRICE: ListPrice = { date: "2026-01-31", tiers: [TIER] };
const TOKENS_PER_CENT = 10_000;

const newRequest = () => formatId("event", newUuid());

function ended(requestId: string, output_tokens: number | null) {
  const usage = {
    ...{ input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    output_tokens: output_tokens ?? 0,
  };
  return {
    event: {
      type: "span.model_request_end" as const,
      model_request_start_id: requestId,
      is_error: output_tokens === null,
      model_usage: output_tokens === null ? null : usage,
    },
  };
}

class Spender {
  readonly lease: Lease;
  readonly #db: Database;
  readonly #charges = new RequestCharges();
  readonly #spending: SessionSpending;

  constructor(db: Database, lease: Lease, ownerId: string) {
    this.#db = db;
    this.lease = lease;
    const session = { organizationId: lease.organizationId, ownerId, hasBudget: true };
    this.#spending = new SessionSpending(
      { db, limits: new OwnerLimits(db.read) },
      lease,
      session,
      this.#charges,
    );
  }

  async reserve(requestId: string, outputTokens: number, price: ListPrice | null = PRICE) {
    const worst = { requestId, price, inputTokens: () => 0, outputTokens };
    return await this.#spending.reserve(worst, NEVER);
  }

  /** Appends the end of a request; null: nobody knows what it used. */
  async end(requestId: string, outputTokens: number | null): Promise<void> {
    const drafts = [ended(requestId, outputTokens)];
    await appendByRun(this.#db.write, this.lease, drafts, this.#charges.take(drafts));
  }

  unbilled(requestId: string): void {
    this.#spending.unbilled(requestId);
  }
}

async function house(t: Parameters<typeof testDatabase>[0], sessions: number, processes = 1) {
  const db = await testDatabase(t);
  const databases = processes === 1 ? [db] : openAsProcesses(t, db, processes);
  const seeded = await seed(db.write);
  const { organizationId } = seeded;
  const spenders: Spender[] = [];
  for (let count = 0; count < sessions; count += 1) {
    const lease = await seedLease(db.write, await seedSession(db.write, seeded), "a");
    const { rows } = await db.write.query<{ owner_id: string }>({
      text: "update sessions set lease_until = now() + interval '1 hour' where id = $1 returning owner_id",
      values: [lease.sessionId],
    });
    const own = databases[count % databases.length];
    assert.ok(own);
    spenders.push(new Spender(own as Database, lease, rows[0]?.owner_id ?? ""));
  }
  const setLimit = (cents: number | null, name: "spend_cents" | "spend_cents_per_day" = "spend_cents") =>
    storeLimit(db.write, { id: organizationId, organizationId }, name, cents);
  return { db, spenders, organizationId, setLimit, one: spenders[0] as Spender };
}

async function setBudget(db: Queryable, { lease }: Spender, cents: number): Promise<void> {
  const values = [lease.sessionId, cents * CENT];
  await db.query({ text: "update sessions set budget_nano = $2 where id = $1", values });
}

async function spentIn(db: Queryable): Promise<{ sessions: number; usage: number; reserved: number }> {
  const { rows } = await db.query<{ sessions: number; usage: number; reserved: number }>({
    text: `select (select coalesce(sum(list_cost_nano), 0)::bigint from sessions) as sessions,
      (select coalesce(sum(list_cost_nano), 0)::bigint from session_usage) as usage,
      (select coalesce(sum(nano), 0)::bigint from spend_reservations) as reserved`,
  });
  return rows[0] ?? { sessions: 0, usage: 0, reserved: 0 };
}

test("property: whatever 32 sessions of 4 processes reserve, use, lose and release at once, a limit is never exceeded, and all of it can be used", async (t) => {
  const { db, spenders, setLimit } = await house(t, 32, 4);
  const share = fc.integer({ min: 0, max: 100 });
  let limit = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(share, { minLength: 96, maxLength: 96 }), async (shares) => {
      limit += 20;
      await setLimit(limit);
      const ends = await Promise.all(
        spenders.map(async (spender, at) => {
          for (let round = 0; round < 3; round += 1) {
            const id = newRequest();
            const allowance = await spender.reserve(id, TOKENS_PER_CENT);
            if (allowance === null || "reached" in allowance) return "reached";
            const most = allowance.outputTokens ?? 0;
            assert.ok(most >= MIN_OUTPUT_TOKENS && most <= TOKENS_PER_CENT);
            const used = shares[3 * at + round] ?? 0;
            await spender.end(id, used > 95 ? null : Math.floor((most * used) / 100));
          }
          return "done";
        }),
      );
      const { sessions, usage, reserved } = await spentIn(db.write);
      assert.deepEqual([usage, reserved], [sessions, 0]);
      assert.ok(sessions <= limit * CENT, `${sessions} of ${limit} cents`);
      const isFull = sessions > limit * CENT - MIN_OUTPUT_TOKENS * 1_000;
      if (ends.includes("reached")) assert.ok(isFull, "nobody is stopped while enough is left");
    }),
    { numRuns: 6 },
  );
});

test("the smallest of all budgets counts, and is named; what is left lowers the output", async (t) => {
  const { db, one, setLimit, organizationId } = await house(t, 1);
  await setBudget(db.write, one, 5);
  await setLimit(3);
  await setLimit(2, "spend_cents_per_day");
  const first = newRequest();
  assert.deepEqual(await one.reserve(first, 12_000), { outputTokens: 12_000 });
  await one.end(first, 12_000);
  const second = newRequest();
  assert.deepEqual(await one.reserve(second, 12_000), { outputTokens: 8_000 });
  await one.end(second, 7_000);
  assert.deepEqual(await one.reserve(newRequest(), 12_000), { reached: "organization_day" });
  await setLimit(null, "spend_cents_per_day");
  const third = newRequest();
  assert.deepEqual(await one.reserve(third, 12_000), { outputTokens: 11_000 });
  await one.end(third, 11_000);
  assert.deepEqual(await one.reserve(newRequest(), 12_000), { reached: "organization" });
  await setLimit(null);
  const fourth = newRequest();
  assert.deepEqual(await one.reserve(fourth, 30_000), { outputTokens: 20_000 });
  await one.end(fourth, 20_000);
  assert.deepEqual(await one.reserve(newRequest(), 12_000), { reached: "session" });
  assert.deepEqual(await one.reserve(newRequest(), 12_000, null), { reached: "session" }, "no price");
  assert.equal((await spentIn(db.write)).sessions, 5 * CENT);
  assert.ok(organizationId);
});

test("a request of unknown end costs what it reserved, once; one that the provider refused, nothing", async (t) => {
  const { db, one } = await house(t, 1);
  await setBudget(db.write, one, 100);
  const refused = newRequest();
  await one.reserve(refused, TOKENS_PER_CENT);
  one.unbilled(refused);
  await one.end(refused, null);
  assert.deepEqual(await spentIn(db.write), { sessions: 0, usage: 0, reserved: 0 });
  const lost = newRequest();
  await one.reserve(lost, TOKENS_PER_CENT);
  // Another process continues the session: it knows of the request only from the log.
  for (let again = 0; again < 2; again += 1)
    await appendByRun(
      db.write,
      one.lease,
      [ended(lost, null)],
      new RequestCharges().take([ended(lost, null)]),
    );
  assert.deepEqual(await spentIn(db.write), { sessions: CENT, usage: CENT, reserved: 0 });
});

test("reservations of a dead run count as spent, those of a live one are waited for", async (t) => {
  const { db, spenders, setLimit } = await house(t, 2);
  const [dead, live] = spenders as [Spender, Spender];
  await setLimit(1);
  await dead.reserve(newRequest(), TOKENS_PER_CENT);
  const limits = new OwnerLimits(db.read);
  const wanted = () => ({ requestId: newUuid(), worst: CENT, least: CENT });
  assert.equal((await reserveSpend(db.write, limits, live.lease, wanted())).waits, true);
  await db.write.query({
    text: "update sessions set lease_until = now() - interval '1 second' where id = $1",
    values: [dead.lease.sessionId],
  });
  const { granted, waits, scope } = await reserveSpend(db.write, limits, live.lease, wanted());
  assert.deepEqual([granted, waits, scope], [null, false, "organization"]);
});

test("a session that is terminated during a request is charged for it; its run can reserve nothing more", async (t) => {
  const { db, one } = await house(t, 1);
  await setBudget(db.write, one, 9);
  await one.reserve(newRequest(), TOKENS_PER_CENT);
  await db.write.query({
    text: "update sessions set terminated_at = now() where id = $1",
    values: [one.lease.sessionId],
  });
  assert.deepEqual(await spentIn(db.write), { sessions: CENT, usage: CENT, reserved: 0 });
  await assert.rejects(one.reserve(newRequest(), 5_000), LeaseLost);
});

test("the day turns by the database's clock: a day's limit is free again, and its sessions continue", async (t) => {
  const { db, one, setLimit } = await house(t, 1);
  await setLimit(1, "spend_cents_per_day");
  const first = newRequest();
  await one.reserve(first, TOKENS_PER_CENT);
  await one.end(first, TOKENS_PER_CENT);
  assert.deepEqual(await one.reserve(newRequest(), TOKENS_PER_CENT), { reached: "organization_day" });
  const stop_reason = { type: "budget_reached" as const, scope: "organization_day" as const };
  await appendIdle(db.write, one.lease, [{ event: { type: "session.status_idle", stop_reason } }]);
  const { rows } = await db.write.query<{ seconds: number; day: number }>({
    text: `select extract(epoch from budget_retry_at - now())::double precision as seconds,
      extract(epoch from budget_retry_at)::bigint % 86400 as day from sessions where id = $1`,
    values: [one.lease.sessionId],
  });
  assert.ok(rows[0] && rows[0].seconds > 0 && rows[0].seconds <= 86_400 && rows[0].day === 0);
  assert.deepEqual(await resumeAtDayTurn(db.write), []);
  // What happened today happened yesterday.
  await db.write.query({ text: "update session_usage set day = day - 1" });
  await db.write.query({ text: "update sessions set budget_retry_at = budget_retry_at - interval '1 day'" });
  assert.deepEqual(await resumeAtDayTurn(db.write), [one.lease.sessionId]);
  const again = newRequest();
  assert.deepEqual(await one.reserve(again, TOKENS_PER_CENT), { outputTokens: TOKENS_PER_CENT });
  await one.end(again, 0);
  // What is older is added up once, and still counts.
  await db.write.query({ text: "update session_usage set day = day - 9" });
  await setLimit(1);
  for (let look = 0; look < 2; look += 1)
    assert.deepEqual(await one.reserve(newRequest(), TOKENS_PER_CENT), { reached: "organization" });
});
