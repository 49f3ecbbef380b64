import assert from "node:assert/strict";
import { test } from "node:test";
import { formerDatabase } from "../../test-support/former-schema.ts";
import { seed, seedSession } from "../../test-support/runs.ts";
import { migrate } from "./migrate.ts";

const BEFORE_USAGE = 49;

test("what sessions used before is of the day on which they last changed; what a former release adds is of today", async (t) => {
  const db = await formerDatabase(t, BEFORE_USAGE);
  const from = await seed(db.write);
  const used = await seedSession(db.write, from, { model: "a/b" });
  await seedSession(db.write, from);
  await db.write.query({
    text: `update sessions set input_tokens = 1, output_tokens = 2, cache_read_input_tokens = 3,
      cache_creation_input_tokens = 4, active_ms = 5, updated_at = '2026-01-31T23:59:59Z' where id = $1`,
    values: [used],
  });
  await migrate(db);
  const rows = async () =>
    (
      await db.read.query({
        text: `select session_id, day::text, previous_day::text, organization_id, owner_id, agent_id, environment_id, model, turns, active_ms,
          input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens
          from session_usage order by session_id, day`,
      })
    ).rows;
  const { organizationId, agentId, environmentId } = from;
  const before = {
    ...{
      session_id: used,
      day: "2026-01-31",
      previous_day: null,
      organization_id: organizationId,
      owner_id: organizationId,
    },
    ...{ agent_id: agentId, environment_id: environmentId, model: "a/b", turns: 0, active_ms: 5 },
    ...{ input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
  };
  assert.deepEqual(await rows(), [before]);
  // The previous release writes like this, since it has no table of usage.
  await db.write.query({
    text: "update sessions set output_tokens = output_tokens + 10, running_since = now() where id = $1",
    values: [used],
  });
  await db.write.query({
    text: "update sessions set active_ms = active_ms + 20, running_since = null where id = $1",
    values: [used],
  });
  const [first, second] = await rows();
  assert.deepEqual(first, before);
  assert.deepEqual(
    [second?.previous_day, second?.turns, second?.active_ms, second?.output_tokens, second?.input_tokens],
    ["2026-01-31", 1, 20, 10, 0],
  );
});
