import assert from "node:assert/strict";
import { test } from "node:test";
import type { Queryable } from "@berth/store/db";
import type { Rows } from "@berth/store/test-support/internals/db";
import { watchLeaseDeadline } from "./lease-deadline.ts";
import { LeaseRenewals } from "./lease-renewals.ts";
import { LeaseSigns, monotonicMs } from "./lease-signs.ts";

const LEASE_MS = 300;
const LEASE = { sessionId: crypto.randomUUID(), organizationId: crypto.randomUUID(), owner: "own", epoch: 1 };

/** Renews one lease with these responses of the database. Resolves `missed` when the deadline is over. */
function renewing(query: () => Promise<unknown>, leaseMs = LEASE_MS) {
  const signs = new LeaseSigns();
  signs.confirm(monotonicMs());
  const failures: unknown[] = [];
  const db: Queryable = { query: async <Row>() => (await query()) as Rows<Row> };
  const renewals = new LeaseRenewals({
    ...{ db, owner: "own", leaseMs, signs },
    onLost: () => undefined,
    onFailure: (error) => failures.push(error),
  });
  renewals.hold(LEASE);
  const missed = Promise.withResolvers<number>();
  const deadline = watchLeaseDeadline(signs, leaseMs, () => missed.resolve(monotonicMs()));
  const close = () => {
    renewals.close();
    deadline.close();
  };
  return { signs, failures, missed: missed.promise, close };
}

const RENEWED = { rows: [{ id: LEASE.sessionId }], rowCount: 1 };

test("a renewal gets no answer → the deadline is missed", async () => {
  const { missed, close } = renewing(() => new Promise<never>(() => undefined));
  await missed;
  close();
});

test("renewals fail → the deadline is missed, after more than one try", async () => {
  const { missed, failures, close } = renewing(async () => {
    throw new Error("The database is away.");
  }, 2_000);
  await missed;
  close();
  assert.ok(failures.length > 1, `${failures.length} failures`);
});

test("an answer that comes late confirms the lease from the question on", async () => {
  const asked = Promise.withResolvers<number>();
  const answer = Promise.withResolvers<unknown>();
  const { signs, close } = renewing(() => {
    asked.resolve(monotonicMs());
    return answer.promise;
  });
  const askedAt = await asked.promise;
  const before = signs.confirmedAt();
  while (monotonicMs() < askedAt + LEASE_MS / 2) await new Promise((resolve) => setImmediate(resolve));
  answer.resolve(RENEWED);
  while (signs.confirmedAt() === before) await new Promise((resolve) => setImmediate(resolve));
  close();
  assert.ok(signs.confirmedAt() <= askedAt, `${signs.confirmedAt() - askedAt} ms too late`);
});

test("each answer comes later than a lease period after its question → the deadline is missed", async () => {
  const { missed, close } = renewing(async () => {
    const asked = monotonicMs();
    while (monotonicMs() < asked + 2 * LEASE_MS) await new Promise((resolve) => setImmediate(resolve));
    return RENEWED;
  });
  await missed;
  close();
});
