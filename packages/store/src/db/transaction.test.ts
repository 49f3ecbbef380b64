import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../test-support/database.ts";
import { clientConfig } from "./connection.ts";
import { DatabaseClient } from "./database-client.ts";
import { DatabaseUnavailableError } from "./database-error.ts";
import { inTransaction } from "./transaction.ts";

test("transaction: the database does not answer → nothing waits behind the statement; any other failure is rolled back", async (t) => {
  const { connection } = await testDatabase(t);
  const client = new DatabaseClient({ ...clientConfig({ connection }), query_timeout: 2_000 });
  await client.connect();
  const sent: string[] = [];
  const recorded = {
    query: (statement: { text: string }) => {
      sent.push(statement.text);
      return client.query(statement);
    },
  };
  const run = (text: string) => inTransaction(recorded as typeof client, (tx) => tx.query({ text }));
  await assert.rejects(run("select 1 / 0"), /division by zero/);
  await assert.rejects(run("select pg_sleep(60)"), DatabaseUnavailableError);
  assert.deepEqual(sent, ["begin", "select 1 / 0", "rollback", "begin", "select pg_sleep(60)"]);
  await client.end();
});
