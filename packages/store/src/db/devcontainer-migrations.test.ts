import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { testDatabase } from "../../test-support/database.ts";

/** The migrations that change what a session has read. */
const SQL = ["0007-devcontainer-values", "0008-devcontainer-image"].map((name) =>
  readFileSync(join(import.meta.dirname, `migrations/${name}.sql`), "utf8"),
);
const ID = "00000000-0000-4000-8000-000000000001";
const OTHER = "00000000-0000-4000-8000-000000000002";

test("migrations 0007 and 0008: values of variables leave what clients see and stay for the run, there is no image, and the rest is as it was", async (t) => {
  const db = await testDatabase(t);
  const read = { file: ".devcontainer.json", environment_variables: { MODE: "dev", TOKEN: "secret" } };
  const named = { file: ".devcontainer.json", environment_variable_names: ["MODE", "TOKEN"], image: null };
  const none = { runtimes: null, devcontainer: null, setup: null };
  await db.transaction(async (tx) => {
    // No other rows are needed.
    await tx.query({ text: "set local session_replication_role = replica" });
    for (const [id, choices] of [
      [ID, { ...none, devcontainer: read, setup: "make" }],
      [OTHER, none],
    ] as const) {
      const text = `insert into sessions (id, organization_id, owner_type, owner_id, agent_id, agent, environment_id, choices)
        values ($1, $1, 'user', $1, $1, '{}', $1, $2)`;
      await tx.query({ text, values: [id, JSON.stringify(choices)] });
    }
    const text = "insert into events (session_id, seq, id, type, body) values ($1, $2, $3, $4, $5)";
    const events = [
      [ID, 1, ID, "session.devcontainer_read", JSON.stringify(read)],
      [ID, 2, OTHER, "user.message", JSON.stringify({ environment_variables: { A: "1" } })],
    ];
    for (const values of events) await tx.query({ text, values });
  });
  // As it is stored then, it is left alone.
  for (let round = 0; round < 2; round += 1) {
    for (const text of SQL) await db.write.query({ text });
    const sessions = await db.read.query({ text: "select choices from sessions order by id" });
    assert.deepEqual(sessions.rows, [
      {
        choices: {
          ...none,
          ...{ devcontainer: named, setup: "make", variables: { MODE: "dev", TOKEN: "secret" } },
        },
      },
      { choices: none },
    ]);
    const { rows } = await db.read.query<{ body: string }>({ text: "select body from events order by seq" });
    assert.deepEqual(
      rows.map(({ body }) => JSON.parse(body)),
      [named, { environment_variables: { A: "1" } }],
    );
  }
});
