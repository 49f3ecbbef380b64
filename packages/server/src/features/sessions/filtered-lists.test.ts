// Subject: session-store, its lists.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { type TestDatabase, testDatabase } from "../../../test-support/database.ts";
import { type Seed, seed } from "../../../test-support/runs.ts";
import type { Principal } from "../../access/principal.ts";
import type { KeysetRange } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import { listSessions, type SessionFilters } from "./session-store.ts";

const rows = 100_000;
const all: SessionFilters = {
  include_archived: true,
  agentId: null,
  environmentId: null,
  memoryStoreId: null,
  statuses: null,
};
const place: KeysetRange = { direction: "older", anchor: null, rows: 21, lowest: null, below: null };

/** Sessions of one owner: all but the 30 oldest are archived, all but three are idle, and three mount a store. */
async function house(t: TestContext) {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const { organizationId, agentId, environmentId } = from;
  const stores = [newUuid(), newUuid()] as const;
  await db.write.query({
    text: `insert into sessions (id, organization_id, owner_type, owner_id, agent_id, agent, environment_id, archived_at, status)
      select (lpad(to_hex(1500000000000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
        $1, 'organization', $1, $2, '{}', $3, case when n > 30 then now() end, case when n <= 3 then 'running' else 'idle' end
      from generate_series(1, $4::integer) as n`,
    values: [organizationId, agentId, environmentId, rows],
  });
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, mount_path, memory_store_id)
      select gen_random_uuid(), id, 'memory_store', '/m', case when status = 'running' then $1::uuid else $2::uuid end
      from sessions`,
    values: stores,
  });
  for (const table of ["sessions", "session_resources"]) await db.write.query({ text: `analyze ${table}` });
  return { db, from, stores };
}

function principals({ organizationId }: Seed): Principal[] {
  const service = {
    tokenId: "",
    organizationId,
    kind: "service_account",
    id: newUuid(),
    scopes: new Set<string>(),
  } as const;
  return [
    { ...service, role: "member" },
    { ...service, role: "admin" },
  ];
}

/** How many blocks the list reads, and how many sessions it has. */
async function cost(db: TestDatabase, principal: Principal, filters: SessionFilters, at: KeysetRange) {
  let blocks = 0;
  const explaining: Queryable = {
    async query(statement) {
      const { rows } = await db.write.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>({
        text: `explain (analyze, buffers, format json) ${statement.text}`,
        values: statement.values ?? [],
      });
      const plan = rows[0]?.["QUERY PLAN"][0].Plan;
      blocks = (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
      return { rows: [], rowCount: 0 };
    },
  };
  await listSessions(explaining, principal, at, filters);
  return { blocks, found: (await listSessions(db.write, principal, at, filters)).length };
}

test("listSessions: filtered, in a large table → the cost depends on the page alone", async (t) => {
  const { db, from, stores } = await house(t);
  const cases: [string, Partial<SessionFilters>, number][] = [
    ["nothing", {}, 21],
    ["not archived", { include_archived: false }, 21],
    ["a store of few", { memoryStoreId: stores[0] }, 3],
    ["a store of many", { memoryStoreId: stores[1] }, 21],
    ["a rare status", { statuses: ["running", "rescheduling"] }, 3],
    ["no such status", { statuses: ["terminated"] }, 0],
    ["statuses", { statuses: ["running", "idle"] }, 21],
    ["an agent", { agentId: from.agentId }, 21],
    ["an environment", { environmentId: from.environmentId }, 21],
    [
      "a store of few and more",
      { memoryStoreId: stores[0], agentId: from.agentId, statuses: ["running"] },
      3,
    ],
  ];
  for (const principal of principals(from)) {
    for (const [name, filters, expected] of cases) {
      const { blocks, found } = await cost(db, principal, { ...all, ...filters }, place);
      assert.equal(found, expected, name);
      assert.ok(blocks < 250, `${blocks} blocks for ${name}, as ${principal.role}`);
      t.diagnostic(`${name}: ${blocks}`);
    }
  }
});
