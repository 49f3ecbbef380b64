import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../../test-support/database.ts";
import type { Queryable } from "../../db/statement.ts";
import { startHeartbeat } from "./heartbeat.ts";

const LEASE_MS = 300;

/** The leases of one session under a heartbeat. */
function heartbeat(query: Queryable["query"]) {
  const lease = {
    sessionId: crypto.randomUUID(),
    organizationId: crypto.randomUUID(),
    owner: "own",
    epoch: 1,
  };
  const abandoned = Promise.withResolvers<void>();
  const held = new Map([[lease.sessionId, { lease, abandon: async () => abandoned.resolve() }]]);
  const { close } = startHeartbeat({ db: { query }, log: silentLog, owner: "own", leaseMs: LEASE_MS, held });
  return { abandoned: abandoned.promise, close };
}

test("heartbeat: the renewal gets no answer → the sessions are abandoned when their lease ends", async () => {
  const { abandoned, close } = heartbeat(() => new Promise<never>(() => undefined));
  await abandoned;
  close();
});

test("heartbeat: renewals fail → the sessions are abandoned when their lease ends", async () => {
  let renewals = 0;
  const { abandoned, close } = heartbeat(async () => {
    renewals += 1;
    throw new Error("The database is away.");
  });
  await abandoned;
  close();
  assert.ok(renewals > 1, `${renewals} renewals`);
});
