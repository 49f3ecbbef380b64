import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "@berth/sdk/operations";
import { cliCommand, curlCommand } from "./call-commands.ts";

const ORIGIN = "https://berth.example";

test("a call with ids and a query, by both ways", () => {
  const call = {
    operation: operations.events.list,
    params: { session_id: "sess_a" },
    query: { limit: 5, types: ["agent.message", "user.message"], page: undefined },
  };
  assert.equal(
    curlCommand(call, ORIGIN),
    `curl -sS 'https://berth.example/api/v1/cloud/sessions/sess_a/events?limit=5&types%5B%5D=agent.message&types%5B%5D=user.message' \\\n  -H "Authorization: Bearer $BERTH_TOKEN"`,
  );
  assert.equal(
    cliCommand(call),
    "berth sessions events list sess_a --limit 5 -q 'types[]=agent.message' -q 'types[]=user.message'",
  );
});

test("a body is quoted for a shell, and an id that is not known is a variable", () => {
  const call = { operation: operations.sessions.update, body: { title: "it's" } };
  assert.ok(curlCommand(call, ORIGIN).endsWith(`-d '{\n  "title": "it'\\''s"\n}'`));
  assert.match(curlCommand(call, ORIGIN), /-X POST .*SESSION_ID/);
  assert.equal(
    cliCommand(call),
    `berth sessions update '$SESSION_ID' --input - <<'JSON'\n{\n  "title": "it's"\n}\nJSON`,
  );
});
