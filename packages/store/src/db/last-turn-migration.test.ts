import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import { formerDatabase } from "../../test-support/former-schema.ts";
import { seed, seedSession } from "../../test-support/runs.ts";
import { migrate } from "./migrate.ts";

const BEFORE_LAST_TURNS = 61;

test("each session gets what its last turn came to, and keeps it while a former release ends turns", async (t) => {
  const db = await formerDatabase(t, BEFORE_LAST_TURNS);
  const from = await seed(db.write);
  const append = async (session: string, seq: number, type: string, body: object, at: string) => {
    await db.write.query({
      text: `insert into events (session_id, seq, id, type, body, processed_at) values ($1, $2, $3, $4, $5, $6)`,
      values: [session, seq, newUuid(), type, JSON.stringify(body), at],
    });
  };
  const idle = (type: string) => ({ stop_reason: { type } });
  const [never, failed, running] = [
    await seedSession(db.write, from),
    await seedSession(db.write, from),
    await seedSession(db.write, from),
  ];
  await append(never, 1, "user.message", { content: [] }, "2026-01-01T00:00:00Z");
  await append(failed, 1, "session.status_idle", idle("end_turn"), "2026-01-02T00:00:00Z");
  await append(failed, 2, "session.status_idle", idle("retries_exhausted"), "2026-01-03T00:00:00Z");
  await append(failed, 3, "session.updated", { title: "\u0000" }, "2026-01-04T00:00:00Z");
  await append(running, 1, "session.status_idle", idle("refusal"), "2026-01-05T00:00:00Z");
  await append(running, 2, "session.status_running", {}, "2026-01-06T00:00:00Z");
  await migrate(db);
  const of = async (session: string) => {
    const text = "select last_turn_outcome as outcome, last_turn_ended_at as at from sessions where id = $1";
    const { rows } = await db.read.query<{ outcome: string; at: Date | null }>({ text, values: [session] });
    return [rows[0]?.outcome, rows[0]?.at?.toISOString() ?? null];
  };
  assert.deepEqual(await of(never), ["none", null]);
  assert.deepEqual(await of(failed), ["retries_exhausted", "2026-01-03T00:00:00.000Z"]);
  assert.deepEqual(await of(running), ["refusal", "2026-01-05T00:00:00.000Z"]);
  await append(running, 3, "session.status_idle", idle("cancelled"), "2026-01-07T00:00:00Z");
  const [outcome, at] = await of(running);
  assert.equal(outcome, "cancelled");
  assert.ok(at !== null && at !== undefined && at > "2026-01-05T00:00:00.000Z");
});
