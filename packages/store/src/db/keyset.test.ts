import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../test-support/database.ts";
import { condition } from "./assembled-statement.ts";
import { selectKeyset, WHOLE } from "./keyset.ts";

const ROWS = 100_000;
const PARENT = "00000000-0000-7000-8000-000000000000";
const uuid = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

for (const direction of ["older", "newer"] as const)
  test(`keyset, ${direction}: a condition that repeats the branch does not have the rows before the position read`, async (t) => {
    const { write } = await testDatabase(t);
    await write.query({ text: "create table entries (id uuid primary key, parent_id uuid)" });
    await write.query({ text: "create index entries_by_parent on entries (parent_id, id)" });
    await write.query({
      text: `insert into entries select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1
        from generate_series(1, ${ROWS}) as n`,
      values: [PARENT],
    });
    await write.query({ text: "vacuum analyze entries" });
    const { mock } = t.mock.method(write, "query");
    const range = { direction, anchor: uuid(ROWS / 2), rows: 20, lowest: null, below: null };
    const conditions = [condition("parent_id = ?", PARENT), condition("id is not null")];
    const listing = { table: "entries", columns: "id", conditions };
    const rows = await selectKeyset<{ id: string }>(write, range, listing, [
      { column: "parent_id", value: PARENT },
    ]);
    const step = direction === "older" ? -1 : 1;
    assert.deepEqual(
      rows.map(({ id }) => id),
      Array.from({ length: 20 }, (_, n) => uuid(ROWS / 2 + step * (n + 1))),
    );
    const [statement] = mock.calls[0]?.arguments ?? [];
    const { text = "", values = [] } = statement ?? {};
    const explained = await write.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>({
      text: `explain (analyze, buffers, format json) ${text}`,
      values,
    });
    const [{ Plan: plan }] = explained.rows[0]?.["QUERY PLAN"] ?? assert.fail();
    const blocks = (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
    assert.ok(blocks < 20, `${blocks} blocks`);
  });

test("keyset: a condition with another value of the branch's column leaves nothing", async (t) => {
  const { write } = await testDatabase(t);
  await write.query({ text: "create table entries (id uuid primary key, parent_id uuid)" });
  await write.query({ text: "insert into entries values ($1, $2)", values: [uuid(1), PARENT] });
  const found = async (value: string) => {
    const listing = { table: "entries", columns: "id", conditions: [condition("parent_id = ?", value)] };
    return await selectKeyset(write, WHOLE, listing, [{ column: "parent_id", value: PARENT }]);
  };
  assert.deepEqual(await found(PARENT), [{ id: uuid(1) }]);
  assert.deepEqual(await found(uuid(2)), []);
});
