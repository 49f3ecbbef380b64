import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../test-support/database.ts";
import { seed } from "../../test-support/runs.ts";
import type { Queryable } from "../db/statement.ts";
import { listAgents } from "../features/agents/agent-store.ts";
import { listEnvironments } from "../features/environments/environment-store.ts";
import { listMemoryStores } from "../features/memory-stores/memory-store-store.ts";
import { listSkills } from "../features/skills/skill-store.ts";
import { listVaults } from "../features/vaults/vault-store.ts";

const rows = 20_000;
const place = { direction: "older", anchor: null, rows: 21, lowest: null, below: null } as const;
const current = { include_archived: false };

/** The other required columns of each table; in their values `n` is the number of the row. */
const tables = {
  agents: { extra: { version: "1" }, list: listAgents },
  environments: {
    extra: { name: "'e' || n", config: "'{}'", environment_variables: "'{}'", resources: "'{}'" },
    list: listEnvironments,
  },
  vaults: { extra: { display_name: "'v'" }, list: listVaults },
  memory_stores: { extra: { name: "'m'" }, list: listMemoryStores },
  skills: { extra: { name: "'s' || n", last_version: "1" }, list: listSkills },
};

test("lists without archived objects: many archived → the cost depends on the page alone", async (t) => {
  const db = await testDatabase(t);
  const { organizationId } = await seed(db.write);
  const caller = {
    tokenId: "",
    organizationId,
    kind: "user",
    id: organizationId,
    scopes: new Set<string>(),
  } as const;
  let blocks = 0;
  const explaining: Queryable = {
    async query({ text, values = [] }) {
      const { rows } = await db.write.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>({
        text: `explain (analyze, buffers, format json) ${text}`,
        values,
      });
      const plan = rows[0]?.["QUERY PLAN"][0].Plan;
      blocks = (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
      return { rows: [], rowCount: 0 };
    },
  };
  for (const [table, { extra, list }] of Object.entries(tables)) {
    const [names, values] = [Object.keys(extra).join(), Object.values(extra).join()];
    await db.write.query({
      text: `insert into ${table} (id, organization_id, owner_type, owner_id, archived_at, ${names})
        select (lpad(to_hex(1500000000000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
          $1, 'organization', $1, case when n > 5 then now() end, ${values} from generate_series(1, $2::integer) as n`,
      values: [organizationId, rows],
    });
    await db.write.query({ text: `analyze ${table}` });
    for (const role of ["member", "admin"] as const) {
      const principal = { ...caller, role };
      assert.ok((await list(db.read, principal, place, current)).length >= 5, table);
      await list(explaining, principal, place, current);
      assert.ok(blocks < 60, `${blocks} blocks for ${table} as ${role}`);
    }
  }
});
