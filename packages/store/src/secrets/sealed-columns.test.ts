import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../test-support/database.ts";
import { SEALED_COLUMNS } from "./sealed-columns.ts";

/**
 * Columns of bytes that contain no secret of the service: digests, names of files, and contents that are
 * passed on to the requester.
 */
const PLAIN_COLUMNS = [
  "tokens.hash",
  "operator_tokens.hash",
  "session_outputs.path",
  "database_identity.key_fingerprint",
  "device_authorizations.device_code_hash",
  "device_authorizations.user_code_hash",
  "console_links.code_hash",
  "oidc_requests.secret_hash",
  "workspace_reads.content",
  "egress_tunnels.token_hash",
  "trigger_deliveries.digest",
];

test("sealed columns: every bytea column is listed as sealed or not, and rows are named by their keys", async (t) => {
  const db = await testDatabase(t);
  const { rows } = await db.read.query<{ name: string }>({
    text: `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = current_schema() and data_type = 'bytea' order by 1`,
  });
  const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  const unknown = rows
    .map(({ name }) => name)
    .filter((name) => !sealed.includes(name) && !PLAIN_COLUMNS.includes(name));
  assert.deepEqual(unknown, []);
  assert.deepEqual(
    sealed.filter((name) => !rows.some((row) => row.name === name)),
    [],
  );
  for (const { table, key } of SEALED_COLUMNS) {
    const { rows: columns } = await db.read.query<{ name: string }>({
      text: `select attname as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
        where indrelid = $1::regclass and indisprimary order by array_position(indkey::smallint[], attnum)`,
      values: [table],
    });
    assert.deepEqual(
      columns.map(({ name }) => name),
      key,
    );
  }
});
